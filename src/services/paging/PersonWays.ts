/** The ways by which pages reach people now: verified, on a kind that this server can use, and not known to be gone. */
import { Array, Effect } from "effect"
import type { UserId, WorkspaceId } from "../../../schema/Ids.ts"
import type { UsableWay } from "../../domain/paging/PersonalSteps.ts"
import { type kindStates, kindStatesIn } from "../../notify/way/wayKinds.ts"
import { MailMode } from "../../store/mail/MailMode.ts"
import type { OnCallPersonRow } from "../../store/oncall/OnCallPeople.ts"
import { ContactWays, type WayRow } from "../../store/paging/ContactWays.ts"

const emailWay: UsableWay = { id: null, kind: "email", label: "Email" }

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
  const mode = yield* MailMode
  // Actors run with few services, and what a kind needs is known from the start.
  const services = yield* Effect.context<never>()

  return Effect.fn("PersonWays.of")(function*(workspaceId: WorkspaceId, people: ReadonlyArray<OnCallPersonRow>) {
    const found = yield* contactWays.ofPeople(workspaceId, people.map(({ id }) => id))
    const rows = Array.groupBy(found, ({ userId }) => userId)
    const kinds = yield* Effect.provide(kindStatesIn(workspaceId, found.map(({ kind }) => kind)), services)
    const added = (id: UserId): ReadonlyArray<UsableWay> => (rows[id] ?? []).filter((row) => problemOfWay(row, kinds) === null)
    const isMailed = (yield* mode) === "sent"
    return people.map((person): Pageable => {
      const others = added(person.id)
      // A mail that is only stored for reading reaches nobody: it is for those who have nothing else.
      const hasEmail = person.mailTo !== null && (isMailed || others.length === 0)
      return { ...person, ways: [...(hasEmail ? [emailWay] : []), ...others] }
    })
  })
})
