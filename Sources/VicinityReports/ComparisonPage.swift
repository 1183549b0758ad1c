/// A study as a page that needs nothing but a browser: a table that can be sorted, plots of energy against recall and latency,
/// distributions, a map of what was missed, and how well all of it is known.
public enum ComparisonPage {
  /// The page, UTF-8. The same report gives the same bytes.
  public static func html(_ report: ComparisonReport) throws(ReportError) -> [UInt8] {
    try HTMLPage.html(
      PackageResources.comparison_html, title: ComparisonPageData.title,
      style: PackageResources.comparison_css, script: PackageResources.comparison_js,
      data: ComparisonPageData(report).value)
  }
}
