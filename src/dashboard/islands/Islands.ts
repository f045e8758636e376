/** Loads the script of each island that a view holds, and gives it its element and properties. */

/** Takes over an element. Returns what to call when the element goes. */
export type Mount = (element: HTMLElement, props: unknown) => void

const islands: Readonly<Record<string, () => Promise<{ readonly mount: Mount }>>> = {
  arrange: () => import("./Arrange.ts"),
  assertions: () => import("./editors/Assertions.tsx"),
  calendar: () => import("./Calendar.ts"),
  code: () => import("./editors/Code.ts"),
  chart: () => import("./Chart.tsx"),
  filter: () => import("./lists/Filter.ts"),
  look: () => import("./editors/Look.tsx"),
  monitors: () => import("./lists/Monitors.ts"),
  markdown: () => import("./editors/Markdown.ts"),
  pick: () => import("./lists/Pick.tsx"),
  device: () => import("./ThisDevice.ts"),
  repeat: () => import("./editors/Repeat.tsx"),
  schedule: () => import("./editors/Schedule.tsx"),
  rows: () => import("./Rows.ts"),
  upload: () => import("./editors/Upload.ts"),
  views: () => import("./lists/Views.ts")
}

export const mountIslands = (within: ParentNode): void => {
  for (const element of within.querySelectorAll<HTMLElement>("[data-island]:not([data-mounted])")) {
    const load = islands[element.dataset["island"] ?? ""]
    if (load === undefined) continue
    element.dataset["mounted"] = ""
    void load().then(({ mount }) => {
      mount(element, JSON.parse(element.dataset["props"] ?? "null"))
      element.dataset["mounted"] = "done"
    })
  }
}
