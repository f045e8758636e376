/** Validates what the schema cannot check in a monitor's assertions. */
import { Either } from "effect"
import type { Assertion } from "../../../../schema/monitor/Assertion.ts"
import type { MonitorKind } from "../../../../schema/monitor/MonitorKind.ts"
import { compileAssertion } from "../../check/answer/AssertionCheck.ts"
import type { Refusal } from "../../Refusal.ts"

/** Why the first invalid assertion is refused, or null. `sources` are the sources that checks of this kind provide. */
export const assertionRefusal = (
  assertions: ReadonlyArray<Assertion>,
  kind: MonitorKind,
  sources: ReadonlyArray<Assertion["source"]>
): Refusal | null => {
  for (const [index, assertion] of assertions.entries()) {
    if (!sources.includes(assertion.source)) {
      return {
        path: `assertions.${index}.source`,
        message: `${kind} monitors do not support assertions on ${assertion.source}`,
        hint: `Use one of ${sources.join(", ")}`
      }
    }
    const compiled = compileAssertion(assertion)
    if (Either.isLeft(compiled)) return { path: `assertions.${index}.${compiled.left.field}`, message: compiled.left.message }
  }
  return null
}
