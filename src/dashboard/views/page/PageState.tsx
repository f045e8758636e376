/** The state of a status page: how many of its components are affected. */
import type { ComponentCounts } from "../../../../schema/page/Page.ts"
import { totalOf } from "../../design/Amounts.ts"
import { Badge } from "../../design/Parts.tsx"

/** The server counts: the records of all components would cost more than all else in the view. */
export const PageState = ({ counts }: { readonly counts: ComponentCounts }) => {
  const all = totalOf(counts)
  const troubled = (["degraded", "partial_outage", "major_outage"] as const).reduce((sum, status) => sum + counts[status], 0)
  return all === 0
    ? <Badge tone="none">No components</Badge>
    : troubled === 0
    ? <Badge tone="good">Operational</Badge>
    : <Badge tone="bad">{troubled} of {all} affected</Badge>
}
