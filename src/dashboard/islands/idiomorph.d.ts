/** What we use of idiomorph, which has no types of its own. */
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
