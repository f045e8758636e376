/** The ways by which pages reach people now: verified, on a kind that this server can use, and not known to be gone. */
import { Array, Effect } from "effect"
import type { UserId, WorkspaceId } from "../../../schema/Ids.ts"
import type { UsableWay } from "../../domain/paging/PersonalSteps.ts"
import { kindStates } from "../../notify/way/wayKinds.ts"
import type { OnCallPersonRow } from "../../store/oncall/OnCallPeople.ts"
import { ContactWays, type WayRow } from "../../store/paging/ContactWays.ts"

export const emailWay: UsableWay = { id: null, kind: "email", label: "Email" }

const unverified = "It is not verified: enter the code that was sent there"

/** Why pages do not go to a way; null if they do. `kinds` says why this server cannot use a kind. */
export const problemOfWay = (
  { kind, problem, verifiedAt }: Pick<WayRow, "kind" | "problem" | "verifiedAt">,
  kinds: Effect.Effect.Success<typeof kindStates>
): string | null => kinds.get(kind) ?? (verifiedAt === null ? unverified : problem)

/** A member with the ways by which pages reach them; none if nobody can reach them. */
export type Pageable = OnCallPersonRow & { readonly ways: ReadonlyArray<UsableWay> }

export const makePersonWays = Effect.gen(function*() {
  const contactWays = yield* ContactWays
  // Actors run with few services, and what a kind needs is known from the start.
  const states = Effect.provide(kindStates, yield* Effect.context<never>())

  return Effect.fn("PersonWays.of")(function*(workspaceId: WorkspaceId, people: ReadonlyArray<OnCallPersonRow>) {
    const rows = Array.groupBy(yield* contactWays.ofPeople(workspaceId, people.map(({ id }) => id)), ({ userId }) => userId)
    const kinds = yield* states
    const added = (id: UserId): ReadonlyArray<UsableWay> => (rows[id] ?? []).filter((row) => problemOfWay(row, kinds) === null)
    return people.map((person): Pageable => ({
      ...person,
      ways: [...(person.mailTo === null ? [] : [emailWay]), ...added(person.id)]
    }))
  })
})
