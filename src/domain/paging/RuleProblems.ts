/** Faults of personal rules as a whole. */
import type { WayId } from "../../../schema/Ids.ts"
import type { PagingRules, WayKind } from "../../../schema/oncall/Way.ts"
import type { Refusal } from "../Refusal.ts"

/** `ways` are those of the person, by id. */
export const ruleProblems = (
  { high, low, workingHours }: PagingRules,
  ways: ReadonlyMap<WayId, WayKind>
): ReadonlyArray<Refusal> =>
  Object.entries({ high, low }).flatMap(([list, steps]) =>
    steps.flatMap(({ by, during, wayId }, index) => [
      ...(wayId === undefined || ways.get(wayId) === by
        ? []
        : [{
          path: `${list}.${index}.wayId`,
          message: `The person has no contact way ${wayId}${ways.has(wayId) ? ` of the kind ${by}` : ""}`,
          hint: "List them with list_contact_ways"
        }]),
      ...(workingHours !== null || during === undefined || during === "any"
        ? []
        : [{
          path: `${list}.${index}.during`,
          message: `A step with during ${during} needs workingHours, and none are set`,
          hint: "Set workingHours, or leave during out"
        }])
    ])
  )
