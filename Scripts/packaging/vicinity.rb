# A formula for Homebrew: Scripts/package puts in version, address and hash of the source archive.
#
#   brew install --formula ./vicinity.rb
class Vicinity < Formula
  desc "Find the regions around positions and along tracks, exactly and fast"
  url "@URL@"
  sha256 "@SHA256@"
  version "@VERSION@"
  license "Apache-2.0"

  depends_on "pkgconf" => :build
  depends_on "swift" => :build
  depends_on "gdal"
  depends_on "geos"
  depends_on "proj"
  depends_on "xz"
  depends_on "zstd"

  uses_from_macos "python" => :build
  uses_from_macos "bzip2"
  uses_from_macos "sqlite"
  uses_from_macos "zlib"

  def install
    # Homebrew has a sandbox of its own around the build.
    ["vicinity", "vicinity-calibrate"].each do |program|
      system "swift", "build", "--disable-sandbox", "-c", "release", "--product", program
      bin.install ".build/release/#{program}"
    end
    generate_completions_from_executable(bin/"vicinity", "--generate-completion-script")
    system "Scripts/manual", bin/"vicinity", buildpath/"manual"
    man1.install Dir["manual/*.1"]
    # The program finds them there: vicinity demo.
    pkgshare.install "Data"
  end

  test do
    assert_match "vicinity #{version}", shell_output("#{bin}/vicinity --version")
    (testpath/"regions.csv").write "id,latitude,longitude,radius\nhome,48.2,16.3,500\n"
    answer = shell_output("#{bin}/vicinity nearest regions.csv --at 48.2,16.3 --format csv")
    assert_match "at,1,home,-500.000,0.000", answer
    (testpath/"track.csv").write "device,time,latitude,longitude\na,0,48.2,16.2\na,100,48.2,16.4\n"
    events = shell_output("#{bin}/vicinity events regions.csv --tracks track.csv")
    assert_match(/^a,.*,home,enter,.*\na,.*,home,exit,/, events)
  end
end
