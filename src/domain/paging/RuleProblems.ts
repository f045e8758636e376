/** Faults of personal rules as a whole. */
import type { WayId } from "../../../schema/Ids.ts"
import type { PagingRules } from "../../../schema/oncall/Way.ts"
import type { Refusal } from "../Refusal.ts"

/** `ways` are those of the person. */
export const ruleProblems = ({ high, low, workingHours }: PagingRules, ways: ReadonlySet<WayId>): ReadonlyArray<Refusal> =>
  Object.entries({ high, low }).flatMap(([list, steps]) =>
    steps.flatMap(({ during, wayId }, index) => [
      ...(wayId === undefined || ways.has(wayId)
        ? []
        : [{
          path: `${list}.${index}.wayId`,
          message: `The person has no contact way ${wayId}`,
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
