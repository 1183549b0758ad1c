// The parts of SwiftUI, UIKit and User Notifications that the sample app in the docs uses, by Apple's
// documentation, with nothing behind them: enough to type-check it (Scripts/check-examples). Pages under
// https://developer.apple.com/documentation/.

public import Foundation
public import UIKit

// swiftui/view
@MainActor @preconcurrency public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

extension Never: View { public var body: Never { return fatalError() } }

extension Optional: View where Wrapped: View { public var body: Never { return fatalError() } }

// swiftui/viewbuilder
@resultBuilder public struct ViewBuilder {
  public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView {
    TupleView()
  }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
}

public struct TupleView: View { public var body: Never { return fatalError() } }

// swiftui/text
public struct Text: View {
  public init<S: StringProtocol>(_ content: S) {}
  public var body: Never { return fatalError() }
}

// swiftui/button
public struct Button: View {
  public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {}
  public var body: Never { return fatalError() }
}

// swiftui/list
public struct List: View {
  public init<Content: View>(@ViewBuilder content: () -> Content) {}
  public var body: Never { return fatalError() }
}

// swiftui/section
public struct Section: View {
  public init<S: StringProtocol, Content: View>(_ title: S, @ViewBuilder content: () -> Content) {}
  public var body: Never { return fatalError() }
}

// swiftui/foreach
public struct ForEach: View {
  public init<Data: RandomAccessCollection, Content: View>(
    _ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content
  ) where Data.Element: Identifiable {}
  public init<Data: RandomAccessCollection, ID: Hashable, Content: View>(
    _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
  ) {}
  public var body: Never { return fatalError() }
}

// swiftui/navigationstack
public struct NavigationStack: View {
  public init<Root: View>(@ViewBuilder root: () -> Root) {}
  public var body: Never { return fatalError() }
}

// swiftui/navigationlink
public struct NavigationLink: View {
  public init<S: StringProtocol, Destination: View>(_ title: S, @ViewBuilder destination: () -> Destination) {
  }
  public var body: Never { return fatalError() }
}

// swiftui/sharelink
public struct ShareLink: View {
  public init<S: StringProtocol>(_ title: S, item: String) {}
  public init<S: StringProtocol>(_ title: S, item: URL) {}
  public var body: Never { return fatalError() }
}

// swiftui/textfield
public struct TextField: View {
  public init<S: StringProtocol>(_ title: S, text: Binding<String>) {}
  public var body: Never { return fatalError() }
}

// swiftui/binding
@propertyWrapper public struct Binding<Value> {
  public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {}
  public var wrappedValue: Value {
    get { fatalError() }
    nonmutating set {}
  }
}

extension View {
  // swiftui/view/navigationtitle(_:)
  public func navigationTitle<S: StringProtocol>(_ title: S) -> some View { self }
  // swiftui/view/task(priority:_:)
  public func task(
    priority: TaskPriority = .userInitiated,
    @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
  ) -> some View { self }
}

// swiftui/state
@propertyWrapper public struct State<Value> {
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
  public var wrappedValue: Value {
    get { fatalError() }
    nonmutating set {}
  }
  public var projectedValue: Binding<Value> { fatalError() }
}

// swiftui/environmentvalues
public struct EnvironmentValues { public var scenePhase: ScenePhase { .active } }

// swiftui/environment
@propertyWrapper public struct Environment<Value> {
  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
  public var wrappedValue: Value { fatalError() }
}

// swiftui/scenephase
public enum ScenePhase: Comparable, Sendable { case background, inactive, active }

// swiftui/scene
@MainActor @preconcurrency public protocol Scene {
  associatedtype Body: Scene
  var body: Body { get }
}

extension Never: Scene {}

// swiftui/windowgroup
public struct WindowGroup: Scene {
  public init<Content: View>(@ViewBuilder content: () -> Content) {}
  public var body: Never { return fatalError() }
}

extension Scene {
  // swiftui/scene/onchange(of:initial:_:)
  public func onChange<V: Equatable>(
    of value: V, initial: Bool = false, _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void
  ) -> some Scene { self }
}

// swiftui/app
@MainActor @preconcurrency public protocol App {
  associatedtype Body: Scene
  var body: Body { get }
  init()
}

extension App { public static func main() {} }

// swiftui/uiapplicationdelegateadaptor
@MainActor @preconcurrency @propertyWrapper
public struct UIApplicationDelegateAdaptor<D: NSObject & UIApplicationDelegate> {
  public init(_ type: D.Type = D.self) {}
  public var wrappedValue: D { fatalError() }
}
