/** Refusals of ids that name nothing in the workspace, each with the call that lists the right ones. */
import type { Refusal } from "./Refusal.ts"

export const unknownMonitor = (path: string, id: string): Refusal => ({
  path,
  message: `No monitor ${id} in this workspace`,
  hint: "List monitors with GET /api/v1/monitors"
})

export const unknownPage = (path: string, idOrSlug: string): Refusal => ({
  path,
  message: `No status page ${idOrSlug} in this workspace`,
  hint: "Send the id or slug of a page. List pages with GET /api/v1/pages"
})

export const unknownComponent = (path: string, id: string): Refusal => ({
  path,
  message: `No component ${id} in this workspace`,
  hint: "Send the id of a component, such as cmp_..., and not its key. List pages with their components with GET /api/v1/pages"
})
