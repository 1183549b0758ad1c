# Days of real movement, as CSV, from the data beside the repository; sourced by Scripts/study.
#
#   days_mobilitynet|days_taxis|days_flights DATA    to standard output
#
# Nothing is made up between two fixes. Where they are more than two minutes apart and in one place, the phone stays there; where they are
# in two places, or where it would take an impossible speed from one to the other, nobody knows the way: the second begins a track of its
# own. A single fix that is out of reach is left out, and so are tracks shorter than five minutes. What a track lacks of 24 hours,
# `vicinity compare --days` adds, at rest.

# days_pieces SPEED: what is sorted by device and time (device,seconds,latitude,longitude), with stays, in pieces (device, device~2 ...);
# SPEED is the least that is impossible, m/s.
days_pieces() {
  LC_ALL=C awk -F , -v OFS=, -v fastest="$1" '
    function distance(a, b, c, d, x, y) {
      y = (c - a) * 111132
      x = (d - b) * 111320 * cos((a + c) / 2 * 0.017453292519943)
      return sqrt(x * x + y * y)
    }
    # Prints the piece that has been gathered, and begins another.
    function finish(i, name) {
      if (count > 1 && times[count] - times[1] >= 300) {
        pieces++
        name = pieces == 1 ? device : device "~" pieces
        for (i = 1; i <= count; i++) {
          # It stays until half a minute before the next fix, so that it has stood and not crept.
          if (i > 1 && times[i] - times[i - 1] > 120)
            printf "%s,%.3f,%s,%s\n", name, times[i] - 30, latitudes[i - 1], longitudes[i - 1]
          printf "%s,%.3f,%s,%s\n", name, times[i], latitudes[i], longitudes[i]
        }
      }
      count = 0
      strays = 0
    }
    BEGIN { print "device,time,latitude,longitude" }
    $1 != device { finish(); device = $1; pieces = 0 }
    count > 0 && $2 <= times[count] { next }
    {
      if (count > 0) {
        moved = distance(latitudes[count], longitudes[count], $3, $4)
        if (moved > 50 && moved > fastest * ($2 - times[count])) {
          # The next ones that agree with each other are right, and this one may be wrong.
          if (++strays < 3) next
          finish()
        } else if ($2 - times[count] > 120 && moved > 200) {
          finish()
        }
      }
      strays = 0
      times[++count] = $2; latitudes[count] = $3; longitudes[count] = $4
    }
    END { finish() }'
}

# The published references of MobilityNet: nine days of four kinds of transport in the San Francisco Bay Area, 1 Hz while on
# the move. What was filled in across gaps is left out.
days_mobilitynet() {
  gzip -dc "$1/mobilitynet/reference.csv.gz" |
    LC_ALL=C awk -F , 'NR > 1 && $10 == 0 { printf "%s,%.3f,%s,%s\n", $1, $2, $3, $4 }' |
    LC_ALL=C sort -t , -k 1,1 -k 2,2n | days_pieces 40
}

# The first thousand trips of Porto's taxis: what each taxi did on 1 July 2013, a fix every 15 s. Trips with missing data are
# left out.
days_taxis() {
  LC_ALL=C awk -F '"' '
    NR > 1 && $16 == "False" {
      count = split($18, pair, "],")
      if (count < 2) next
      for (i = 1; i <= count; i++) {
        gsub(/[][ ]/, "", pair[i])
        split(pair[i], at, ",")
        if (at[2] != "") printf "taxi-%s,%d,%s,%s\n", $10, $12 + 15 * (i - 1), at[2], at[1]
      }
    }' "$1/tracks/porto_taxi/train.1k.csv" |
    LC_ALL=C sort -t , -k 1,1 -k 2,2n | days_pieces 40
}

# Aircraft about Noumea, Kiruna and over Switzerland, a fix every five or ten seconds.
days_flights() {
  local name
  for name in noumea kiruna switzerland; do
    gzip -dc "$1/tracks/adsb/$name.json.gz" |
      LC_ALL=C awk -v RS='}' -v name="$name" '
        function value(key, text) {
          if (!match($0, "\"" key "\":[^,]*")) return ""
          text = substr($0, RSTART, RLENGTH)
          sub(/^[^:]*:/, "", text)
          gsub(/"/, "", text)
          return text == "null" ? "" : text
        }
        {
          latitude = value("latitude"); longitude = value("longitude"); aircraft = value("icao24")
          if (latitude != "" && longitude != "" && aircraft != "")
            printf "%s-%s,%.3f,%s,%s\n", name, aircraft, value("timestamp") / 1000, latitude, longitude
        }'
  done | LC_ALL=C sort -t , -k 1,1 -k 2,2n | days_pieces 400
}
