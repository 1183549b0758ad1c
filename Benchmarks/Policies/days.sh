# Days of real movement, as CSV, from the data beside the repository; sourced by Scripts/study.
#
#   days_mobilitynet|days_taxis|days_flights DATA    to standard output
#
# Ways are cut or bridged by one rule: where two fixes are more than two minutes apart, the phone stays at the first until
# half a minute before the second, or as long as 10 m/s take for the distance, so that it has stood and not crept. What a
# track lacks of 24 hours, `vicinity compare --days` adds.

# What is sorted by device and time (device,seconds,latitude,longitude), with stays.
days_stay() {
  LC_ALL=C awk -F , -v OFS=, '
    function distance(a, b, c, d, x, y) {
      y = (c - a) * 111132
      x = (d - b) * 111320 * cos((a + c) / 2 * 0.017453292519943)
      return sqrt(x * x + y * y)
    }
    BEGIN { print "device,time,latitude,longitude" }
    $1 == device && $2 <= time { next }
    {
      if ($1 == device && $2 - time > 120) {
        need = distance(latitude, longitude, $3, $4) / 10
        if (need < 30) need = 30
        if ($2 - time > need + 1) printf "%s,%.3f,%s,%s\n", $1, $2 - need, latitude, longitude
      }
      printf "%s,%.3f,%s,%s\n", $1, $2, $3, $4
      device = $1; time = $2; latitude = $3; longitude = $4
    }'
}

# The published references of MobilityNet: nine days of four kinds of transport in the San Francisco Bay Area, 1 Hz while on
# the move. What was filled in across gaps is left out.
days_mobilitynet() {
  gzip -dc "$1/mobilitynet/reference.csv.gz" |
    LC_ALL=C awk -F , 'NR > 1 && $10 == 0 { printf "%s,%.3f,%s,%s\n", $1, $2, $3, $4 }' |
    LC_ALL=C sort -t , -k 1,1 -k 2,2n | days_stay
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
    LC_ALL=C sort -t , -k 1,1 -k 2,2n | days_stay
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
  done | LC_ALL=C sort -t , -k 1,1 -k 2,2n | days_stay
}
