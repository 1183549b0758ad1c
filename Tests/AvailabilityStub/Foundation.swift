// swift-format-ignore-file: TypeNamesShouldBeCapitalized, AlwaysUseLowerCamelCase
// The part of Apple's module Foundation that the package uses, where it does not use FoundationEssentials: by
// Apple's documentation.

@_exported public import Darwin
@_exported public import Dispatch

public typealias TimeInterval = Double

// foundation/date
public struct Date: Sendable, Hashable, Comparable {
  public static let distantPast = Date()
  public static let distantFuture = Date()
  public init() {}
  public init(timeIntervalSince1970: TimeInterval) {}
  public var timeIntervalSince1970: TimeInterval { 0 }
  public static func < (a: Date, b: Date) -> Bool { false }
}

// foundation/uuid
public typealias uuid_t = (
  UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8,
  UInt8
)
public struct UUID: Sendable, Hashable {
  public var uuid: uuid_t { (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) }
  public init() {}
  public init(uuid: uuid_t) {}
  public init?(uuidString: String) {}
  public var uuidString: String { "" }
}

// foundation/data
public struct Data: Sendable, Hashable, RandomAccessCollection {
  public init() {}
  public init<S: Sequence>(_ elements: S) where S.Element == UInt8 {}
  public var startIndex: Int { 0 }
  public var endIndex: Int { 0 }
  public subscript(position: Int) -> UInt8 { 0 }
}

// objectivec/nsobject and objectivec/nsobjectprotocol, which Foundation passes on
public protocol NSObjectProtocol: AnyObject {}
open class NSObject: NSObjectProtocol, Hashable {
  public init() {}
  public static func == (a: NSObject, b: NSObject) -> Bool { a === b }
  open func hash(into hasher: inout Hasher) {}
}

// foundation/nsnumber
open class NSNumber: NSObject, @unchecked Sendable {
  public init(value: Int) {}
  public init(value: UInt16) {}
  public init(value: Double) {}
  open var uint16Value: UInt16 { 0 }
  open var intValue: Int { 0 }
  open var doubleValue: Double { 0 }
}

// swift/error/localizeddescription
extension Error {
  public var localizedDescription: String { "" }
}

// foundation/nserror
open class NSError: NSObject, Error, @unchecked Sendable {
  open var domain: String { "" }
  open var code: Int { 0 }
}

// foundation/nsmutabledictionary
open class NSDictionary: NSObject {}
open class NSMutableDictionary: NSDictionary {}
extension Dictionary where Key == String {
  // Apple's is a cast, `as? [String: Any]`.
  public init?(_ dictionary: NSDictionary) { return nil }
}

// foundation/nslog
public func NSLog(_ format: String, _ arguments: any CVarArg...) {}

// foundation/bundle
open class Bundle: NSObject, @unchecked Sendable {
  public class var main: Bundle { Bundle() }
  open func object(forInfoDictionaryKey key: String) -> Any? { nil }
  open var infoDictionary: [String: Any]? { nil }
}

// foundation/filemanager
open class FileManager: NSObject, @unchecked Sendable {
  public class var `default`: FileManager { FileManager() }
  open func createDirectory(atPath path: String, withIntermediateDirectories createIntermediates: Bool) throws
  {}
}

// foundation/jsonencoder, foundation/jsondecoder
open class JSONEncoder: @unchecked Sendable {
  public struct OutputFormatting: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let sortedKeys = OutputFormatting(rawValue: 2)
    public static let withoutEscapingSlashes = OutputFormatting(rawValue: 8)
  }
  open var outputFormatting: OutputFormatting = []
  public init() {}
  open func encode<T: Encodable>(_ value: T) throws -> Data { Data() }
}
open class JSONDecoder: @unchecked Sendable {
  public init() {}
  open func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
    throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: ""))
  }
}
