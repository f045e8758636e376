/**
 * The statements whose plans a connection keeps for a while. PostgreSQL plans every other statement for its values each time, which takes
 * ten times as long as reading a monitor by its id.
 */
import { Array as Arr } from "effect"
import type { Rows, Step } from "./Step.ts"

/**
 * Begins the text of a statement whose plan fits all values: it finds few rows by keys, or the first ones in the order of an index,
 * whatever the size of the workspace.
 */
const onePlan = "/* one plan */"

/** How long a connection keeps its plans, ms. A plan made for an empty table is wrong until PostgreSQL notices that it has grown. */
export const plansKeptFor = 30_000

/** Since when a connection keeps its plans, ms by the steady clock. */
export interface KeptPlans {
  since: number
}

const keepsPlan = ({ text }: Step): boolean => text.startsWith(onePlan)

const command = (text: string): Step => ({ text, values: [] })

/** The order of an index is right for few rows, whatever the statistics say. */
const settings = (planCache: string, others: "on" | "off"): Step =>
  command(`select set_config('plan_cache_mode', '${planCache}', true), set_config('enable_seqscan', '${others}', true),
    set_config('enable_sort', '${others}', true)`)

const planOnce = settings("force_generic_plan", "off")
/** As `Session` has set it. It ends what `IndexOrder` sets, whose transactions therefore hold no such statement. */
const planEachTime = settings("force_custom_plan", "on")
const forget = command("discard plans")

/** Whether a step only decides how others are planned. */
export const isAboutPlans = (step: Step): boolean => step === planOnce || step === planEachTime || step === forget

/** The steps, with the settings around those that keep their plans. Settings last until the end of the transaction. */
export const withPlans = (steps: ReadonlyArray<Step>, plans: KeptPlans): ReadonlyArray<Step> => {
  if (!Arr.isNonEmptyReadonlyArray(steps) || !steps.some(keepsPlan)) return steps
  const now = performance.now()
  const isOld = now - plans.since >= plansKeptFor
  if (isOld) plans.since = now
  const runs = Arr.groupWith(steps, (one, other) => keepsPlan(one) === keepsPlan(other))
  return [...(isOld ? [forget] : []), ...runs.flatMap((run) => keepsPlan(run[0]) ? [planOnce, ...run, planEachTime] : run)]
}

/** The rows of the steps that are not about plans. */
export const withoutPlans = (sent: ReadonlyArray<Step>, rows: ReadonlyArray<Rows>): ReadonlyArray<Rows> =>
  rows.filter((_, at) => {
    const step = sent[at]
    return step === undefined || !isAboutPlans(step)
  })
