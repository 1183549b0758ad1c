// swift-format-ignore-file
// Uses of the standard library that are too new for the manifest's systems, and the error that must come of
// each.

func first(_ numbers: [Int]) -> Int { numbers.span[0] }  // expected-error {{'span' is only available in}} expected-note *{{add}}
func count(_ text: String) -> Int { text.utf8Span.count }  // expected-error 2{{is only available in}} expected-note *{{add}}
func zeros() -> Int { InlineArray<3, Int>(repeating: 0)[0] }  // expected-error 3{{is only available in}} expected-note *{{add}}
