// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The part of GRDB 7 that Sources/VicinityStore uses. GRDB itself needs iOS 13, macOS 10.15, tvOS 13 and
// watchOS 7.

public import Foundation

public struct DatabaseValue: Sendable, CustomStringConvertible {
  public enum Storage: Sendable {
    case null
    case int64(Int64)
    case double(Double)
    case string(String)
    case blob(Data)
  }
  public let storage: Storage
  public static let null = DatabaseValue(storage: .null)
  public var description: String { "" }
}

public protocol DatabaseValueConvertible {
  var databaseValue: DatabaseValue { get }
}
extension DatabaseValueConvertible {
  public var databaseValue: DatabaseValue { .null }
  public static func fetchOne(_ database: Database, sql: String) throws -> Self? { nil }
  public static func fetchAll(_ database: Database, sql: String) throws -> [Self] { [] }
}
extension DatabaseValue: DatabaseValueConvertible {}
extension Int: DatabaseValueConvertible {}
extension Int64: DatabaseValueConvertible {}
extension UInt8: DatabaseValueConvertible {}
extension UInt16: DatabaseValueConvertible {}
extension Double: DatabaseValueConvertible {}
extension String: DatabaseValueConvertible {}
extension Data: DatabaseValueConvertible {}

public struct StatementArguments: ExpressibleByArrayLiteral {
  public init(_ values: [DatabaseValue]) {}
  public init(arrayLiteral values: (any DatabaseValueConvertible)?...) {}
}

public final class Statement {
  public func execute(arguments: StatementArguments? = nil) throws {}
}

public final class RowCursor {
  public func next() throws -> Row? { nil }
}

public final class Row {
  public subscript(index: Int) -> DatabaseValue { .null }
  public static func fetchCursor(_ database: Database, sql: String) throws -> RowCursor { RowCursor() }
  public static func fetchAll(_ database: Database, sql: String) throws -> [Row] { [] }
  public static func fetchOne(_ statement: Statement, arguments: StatementArguments? = nil) throws -> Row? {
    nil
  }
}

public final class Database {
  public var changesCount: Int { 0 }
  public var isInsideTransaction: Bool { false }
  public func rollback() throws {}
  public func execute(sql: String) throws {}
  public func cachedStatement(sql: String) throws -> Statement { Statement() }
}

public struct ResultCode: Equatable, Sendable {
  public let rawValue: Int32
  public static let SQLITE_ERROR = ResultCode(rawValue: 1)
  public static let SQLITE_CORRUPT = ResultCode(rawValue: 11)
  public static let SQLITE_CONSTRAINT = ResultCode(rawValue: 19)
  public static let SQLITE_MISMATCH = ResultCode(rawValue: 20)
  public static let SQLITE_FORMAT = ResultCode(rawValue: 24)
  public static let SQLITE_NOTADB = ResultCode(rawValue: 26)
  public static func ~= (pattern: ResultCode, code: ResultCode) -> Bool { pattern == code }
}

public struct DatabaseError: Error {
  public var message: String? { nil }
  public var resultCode: ResultCode { .SQLITE_ERROR }
  public var extendedResultCode: ResultCode { .SQLITE_ERROR }
}

public struct Configuration: Sendable {
  public var label: String?
  public var allowsUnsafeTransactions = false
  public init() {}
  public mutating func prepareDatabase(_ setup: @escaping @Sendable (Database) throws -> Void) {}
}

public final class DatabaseQueue: Sendable {
  public init(named name: String? = nil, configuration: Configuration = Configuration()) throws {}
  public init(path: String, configuration: Configuration = Configuration()) throws {}
  public func read<T>(_ value: (Database) throws -> T) throws -> T { throw DatabaseError() }
  public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T {
    try updates(Database())
  }
  public func close() throws {}
}

public struct DatabaseMigrator: Sendable {
  public init() {}
  public mutating func registerMigration(
    _ identifier: String, migrate: @escaping @Sendable (Database) throws -> Void
  ) {}
  public func migrate(_ queue: DatabaseQueue) throws {}
}
