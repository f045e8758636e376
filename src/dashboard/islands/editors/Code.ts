/** Loads the editor once the reader sees the text area that it replaces: it weighs more than all other scripts. */

export const mount = (element: HTMLElement, props: unknown): void => {
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return
    seen.disconnect()
    void import("./Editor.ts").then(({ mount }) => mount(element, props))
  })
  seen.observe(element)
}
