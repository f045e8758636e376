/** Reads and changes the personal rules of people. */
import { DateTime, Effect, Option } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import type { UserId, WorkspaceId } from "../../../schema/Ids.ts"
import type { PagingRules, PagingRulesInput } from "../../../schema/oncall/Way.ts"
import { defaultRules } from "../../domain/paging/PersonalSteps.ts"
import { ruleProblems } from "../../domain/paging/RuleProblems.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { ContactWays } from "../../store/paging/ContactWays.ts"
import { PagingRulesRows } from "../../store/paging/PagingRulesRows.ts"
import { makePersons } from "./MayChangePerson.ts"

export class ManagePagingRules extends Effect.Service<ManagePagingRules>()("belltower/ManagePagingRules", {
  effect: Effect.gen(function*() {
    const rows = yield* PagingRulesRows
    const ways = yield* ContactWays
    const persons = yield* makePersons

    const current = (workspaceId: WorkspaceId, userId: UserId) =>
      Effect.map(rows.find(workspaceId, userId), Option.getOrElse(() => defaultRules))

    /** The rules of a member, or those of everybody. Fails with `forbidden` and `not_found`. */
    const get = Effect.fn("ManagePagingRules.get")(function*(caller: Caller, userId: UserId) {
      yield* persons.reach(caller, userId)
      return yield* current(caller.workspaceId, userId)
    })

    /** Fails with `forbidden`, `not_found` and `validation_failed`. */
    const update = Effect.fn("ManagePagingRules.update")(function*(caller: Caller, userId: UserId, input: PagingRulesInput) {
      const { workspaceId } = caller
      yield* persons.reach(caller, userId)
      if (input.reset === true) {
        yield* rows.remove(workspaceId, userId)
        return defaultRules
      }
      const before = yield* current(workspaceId, userId)
      const after: PagingRules = {
        high: input.high ?? before.high,
        low: input.low ?? before.low,
        workingHours: input.workingHours === undefined ? before.workingHours : input.workingHours,
        isDefault: false
      }
      const known = (yield* ways.ofPeople(workspaceId, [userId])).map(({ id, kind }) => [id, kind] as const)
      // Rules keep the steps of deleted ways, so what they show can be sent back.
      const named = [...before.high, ...before.low].flatMap(({ by, wayId }) => wayId === undefined ? [] : [[wayId, by] as const])
      const problems = ruleProblems(after, new Map([...named, ...known]))
      if (problems.length > 0) return yield* validationFailure(problems)
      yield* rows.save(workspaceId, userId, after, yield* DateTime.now)
      return after
    })

    return { get, update }
  })
}) {}
