/**
 * The order of the files of a run. Those that take long mostly wait, for leases, brokers and browsers, and the others need a core and
 * more: with a few long files at a time beside short ones, no core is idle or fought over. The longest come first, so that no
 * worker waits for one at the end. A fresh clone knows no durations, and Vitest would go by sizes.
 */
import { join } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Seconds that files take on two cores; `infra/tests.mjs` prints the slowest. */
const longest: Readonly<Record<string, number>> = {
  "flows/cluster": 210,
  "flows/pagingRunners": 190,
  "flows/frozenSockets": 185,
  "flows/dashboard.browser": 155,
  "flows/upgrade": 140,
  "bus/kafka/KafkaBus": 110,
  "flows/layout.browser": 100,
  "dashboard/untouched": 80,
  "flows/firstMinute.browser": 75,
  "flows/failover": 60,
  "flows/clockSkew": 60,
  "flows/probeIdentities": 60,
  "flows/mcpClients": 55,
  "flows/pagingKills": 50,
  "dashboard/refusals": 45,
  "flows/jobs": 40,
  "flows/startChecks": 40,
  "flows/wrongSettings": 40,
  "cluster/incident/AlertingStory": 35,
  "security/secretRotation": 35,
  "http/upstream/upstreams": 30,
  "security/scriptLoad": 30,
  "cluster/FrozenSockets": 25,
  "flows/exhausted": 25
}

/** They count function calls, which takes twice as long in a process that has loaded the modules of other files. */
const first = ["mcp/hostileInput", "http/request/hostileInput"]

/** Seconds of each other file, and a half more: so the last of the long files begins long before the end. */
const short = 6

/** The project whose files are only computed: they run last, in milliseconds each. */
const decisions = "decisions"

export class FileOrder extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const fileOf = (name: string) => join(this.ctx.config.root, "test", `${name}.test.ts`)
    const seconds = new Map(Object.entries(longest).map(([name, taken]) => [fileOf(name), taken]))
    const counting = new Set(first.map(fileOf))
    const secondsOf = ({ moduleId }: TestSpecification) => seconds.get(moduleId) ?? 0
    const sorted = await super.sort(files)
    const long = sorted.filter((file) => secondsOf(file) > 0).sort((one, other) => secondsOf(other) - secondsOf(one))
    const early = sorted.filter(({ moduleId }) => counting.has(moduleId))
    const rest = sorted.filter((file) => secondsOf(file) === 0 && file.project.name !== decisions && !counting.has(file.moduleId))
    const beside = long.flatMap((file) => [file, ...rest.splice(0, Math.ceil(secondsOf(file) / short))])
    return [...early, ...beside, ...rest, ...sorted.filter((file) => file.project.name === decisions)]
  }
}
