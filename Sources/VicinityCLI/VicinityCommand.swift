import ArgumentParser
import VicinityRuns

/// The `vicinity` command line.
@main
struct VicinityCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vicinity",
    abstract: "Find the regions around positions and along tracks, exactly and fast.",
    discussion: """
      Standard output is only data; messages go to standard error.

      Data, in the examples, is the folder of data that comes with the program.

      EXAMPLES:
        vicinity demo
        vicinity nearest Data/airports/airports.csv.gz --id-field icao \\
          --default-radius 2000 --at 48.2082,16.3738
        vicinity containing Data/naturalearth_lowres/naturalearth_lowres.shp \\
          --id-field name --at 48.2082,16.3738
        vicinity generate regions --count 1500 --around 52.14,6.65 --spread 9 \\
          --output stores.csv
        vicinity index stores.csv --output stores.vicinity
        vicinity info stores.vicinity
        vicinity events stores.vicinity --tracks Data/rides/*.gpx.gz
        vicinity plan stores.vicinity --check \\
          --track Data/rides/activity_4801048867.gpx.gz
        vicinity simulate stores.vicinity --output ride \\
          --track Data/rides/activity_4801048867.gpx.gz
        vicinity compare stores.vicinity --tracks Data/rides/*.gpx.gz --days

      SHELL COMPLETIONS:
        bash: vicinity --generate-completion-script bash
          Save it as vicinity in ~/.local/share/bash-completion/completions.
        zsh: vicinity --generate-completion-script zsh
          Save it as _vicinity in a directory of zsh's fpath.
        fish: vicinity --generate-completion-script fish
          Save it as vicinity.fish in ~/.config/fish/completions.

      \(ExitCodes.help)
      """,
    version: BuildDescription.text,
    subcommands: [
      NearestCommand.self, ContainingCommand.self, PlanCommand.self, EventsCommand.self, SimulateCommand.self,
      CompareCommand.self, IndexCommand.self, InfoCommand.self, GenerateCommand.self, DemoCommand.self,
    ])

  /// Parses the arguments, runs the command and exits with its code.
  static func main() {
    SignalGuard.install()
    System.leave(with: run(Array(CommandLine.arguments.dropFirst())))
  }

  /// Runs the command that `arguments` ask for.
  ///
  /// - Returns: The exit code; what goes wrong has been printed.
  static func run(_ arguments: [String]) -> CInt {
    run(arguments, usage: misspelling) { Advice.lines(on: $0, $1, arguments) }
  }

  /// What is wrong where the command is misspelt, which the parser reports by what comes after it.
  private static func misspelling(_ arguments: [String]) -> String? {
    let names = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    guard let name = arguments.first, !name.hasPrefix("-"), !names.contains(name) else { return nil }
    let near = names.filter { Advice.distance(name, $0) <= 2 }
    let words =
      near.isEmpty
      ? "The commands are \(names.joined(separator: ", "))." : "Did you mean \(near.joined(separator: ", "))?"
    return "There is no command \(name.debugDescription). \(words)"
  }
}
