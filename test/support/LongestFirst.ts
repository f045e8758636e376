/**
 * Begins with the files that take longest, so that no worker waits for one at the end. On a fresh clone nothing knows how long a file
 * takes, and Vitest would go by its size. `infra/tests.mjs` prints the slowest files.
 */
import { join } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Those of half a minute and more. */
const longest = [
  "flows/cluster",
  "flows/frozenSockets",
  "flows/dashboard.browser",
  "flows/pagingRunners",
  "bus/KafkaBus",
  "flows/upgrade",
  "flows/clockSkew",
  "flows/probeIdentities",
  "flows/failover",
  "mcp/hostileInput",
  "flows/layout.browser",
  "flows/firstMinute.browser",
  "dashboard/untouched",
  "cluster/monitor/MonitorMemory",
  "flows/pagingKills",
  "flows/mcpClients",
  "flows/jobs",
  "dashboard/refusals",
  "cluster/incident/AlertingStory",
  "security/secretRotation",
  "http/upstream/upstreams",
  "security/scriptLoad",
  "cluster/FrozenSockets"
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const { root } = this.ctx.config
    const places = new Map(longest.map((name, place) => [join(root, "test", `${name}.test.ts`), place]))
    const placeOf = ({ moduleId }: TestSpecification) => places.get(moduleId) ?? longest.length
    const sorted = await super.sort(files)
    return sorted.sort((one, other) => placeOf(one) - placeOf(other))
  }
}
