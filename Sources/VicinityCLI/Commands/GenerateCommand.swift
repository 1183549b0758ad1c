import ArgumentParser

/// `vicinity generate`: regions and days of movement that nobody has lived in.
struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Generate made-up regions and tracks.",
    discussion: """
      What is made is plausible, not real: regions around places that you name, and days of people who live \
      around one. The same options and seed give the same bytes.

      EXAMPLES:
        vicinity generate regions --count 10000 --around 48.2082,16.3738 \\
          --output shops.csv
        vicinity generate tracks --devices 20 --days 7 --around 48.2082,16.3738 \\
          --output week.csv

      \(ExitCodes.help)
      """,
    subcommands: [GenerateRegionsCommand.self, GenerateTracksCommand.self])
}

/// Where what is made up goes, and what decides it.
struct GeneratedOutputArguments: ParsableArguments {
  @Option(help: .value("n", "The seed of all random choices."))
  var seed: UInt64 = 1

  @OptionGroup var target: FileOutputArguments

  func validate() throws { try target.checkEndingOfCSV() }
}
