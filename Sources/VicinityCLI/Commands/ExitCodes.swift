/// The exit codes of every command, in the words of the help.
enum ExitCodes {
  static let help = """
    EXIT CODES:
      0    success, also when the reader of a pipe leaves early
      1    the work failed; the reason is on standard error
      64   wrong usage
      130  interrupted (Ctrl-C); 143 terminated
    """
}
