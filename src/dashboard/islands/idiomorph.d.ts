/** Types for the part of idiomorph that we use: it has none. */
declare module "idiomorph" {
  export const Idiomorph: {
    readonly morph: (before: Element, after: ReadonlyArray<Node>, options: {
      readonly morphStyle: "innerHTML" | "outerHTML"
      readonly ignoreActiveValue: boolean
      readonly restoreFocus: boolean
      readonly callbacks: {
        readonly beforeNodeMorphed: (before: Node, after: Node) => boolean
        readonly beforeNodeRemoved: (node: Node) => boolean
      }
    }) => void
  }
}
