/** The monitors and pages that narrow a deploy, as its record shows them. */
import type { MonitorId, PageId } from "../../../schema/Ids.ts"

interface DeployScope {
  readonly monitorIds: ReadonlyArray<MonitorId>
  readonly pageIds: ReadonlyArray<PageId>
}

const onlyOf = <Id>([first, ...others]: ReadonlyArray<Id>): Id | null => first === undefined || others.length > 0 ? null : first

/** With the fields for a single monitor and a single page, which an input can have in place of lists. */
export const withOnlyIds = <A extends DeployScope>(deploy: A) => ({
  ...deploy,
  monitorId: onlyOf(deploy.monitorIds),
  pageId: onlyOf(deploy.pageIds)
})
