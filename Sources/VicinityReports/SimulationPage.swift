/// A run as a page that needs nothing but a browser: map, time slider, states and energy.
public enum SimulationPage {
  /// The page, UTF-8. The same run gives the same bytes.
  public static func html(_ run: SimulatedRun) throws(ReportError) -> [UInt8] {
    try HTMLPage.html(
      PackageResources.simulation_html, title: SimulationPageData.title(of: run),
      style: PackageResources.simulation_css, script: PackageResources.simulation_js,
      data: SimulationPageData(run).value)
  }
}
