/// A page of pictures and, below them, sections of sentences and tables; it needs only a browser.
public struct TablePage: Sendable {
  public struct Table: Hashable, Sendable {
    public var caption: String
    public var head: [String]
    /// As many cells in each row as in ``head``.
    public var rows: [[String]]

    public init(caption: String, head: [String], rows: [[String]]) {
      (self.caption, self.head, self.rows) = (caption, head, rows)
    }
  }

  public struct Section: Hashable, Sendable {
    public var title: String
    public var words: [String]
    public var tables: [Table]

    public init(title: String, words: [String], tables: [Table]) {
      (self.title, self.words, self.tables) = (title, words, tables)
    }
  }

  public var title: String
  public var subtitle: String
  /// SVG elements, which are put into the page as they are.
  public var pictures: [String]
  public var sections: [Section]

  public init(title: String, subtitle: String, pictures: [String], sections: [Section]) {
    (self.title, self.subtitle, self.pictures, self.sections) = (title, subtitle, pictures, sections)
  }

  /// The page, UTF-8. The same content gives the same bytes.
  public func html() -> [UInt8] {
    let figures = pictures.map { "<figure>\($0)</figure>\n" }.joined()
    let sections = sections.map { section in
      JSONValue.object([
        "title": .string(section.title), "words": .array(section.words.map { .string($0) }),
        "tables": .array(
          section.tables.map { table in
            .object([
              "caption": .string(table.caption), "head": .array(table.head.map { .string($0) }),
              "rows": .array(table.rows.map { .array($0.map { .string($0) }) }),
            ])
          }),
      ])
    }
    return HTMLPage.html(
      HTMLPage.fill(PackageResources.tables_html, ["pictures": Array(figures.utf8)]), title: title,
      style: PackageResources.tables_css, script: PackageResources.tables_js,
      data: .object([
        "title": .string(title), "subtitle": .string(subtitle), "sections": .array(sections),
      ]))
  }
}
