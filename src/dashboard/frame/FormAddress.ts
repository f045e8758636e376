/**
 * Where the forms of a view are sent. The answer to a form is shown at this address, so the address names the view: opened again, it
 * leads there.
 */
import type { VisitData } from "./Visit.ts"

/** `what` is `do/create_monitor` or `do-all/delete_monitor`; `more` is what else the address says. */
export const formAddress = (
  { url, workspace }: Pick<VisitData, "url" | "workspace">,
  what: `do/${string}` | `do-all/${string}`,
  more: Readonly<Record<string, string>> = {}
): string => {
  const query = new URLSearchParams({ ...(workspace === null ? {} : { workspace: workspace.id }), ...more, _back: url })
  return `/app/${what}?${query.toString()}`
}
