/** Lists and creates a person's workspaces, and switches between them. */
import { Duration, Effect } from "effect"
import { NotFound } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { MyWorkspace } from "../../../schema/people/Person.ts"
import type { PersonIdentity } from "../../../schema/people/PersonIdentity.ts"
import type { Applicant } from "../../domain/access/Registration.ts"
import { initialPlan } from "../../domain/billing/Plans.ts"
import { withCurrent } from "../../domain/people/CurrentWorkspace.ts"
import { Billing } from "../../external/billing/Billing.ts"
import { type RateLimit, RateLimits } from "../../store/access/RateLimits.ts"
import { Sessions } from "../../store/people/Sessions.ts"
import { WorkspaceEntry } from "../../store/workspace/WorkspaceEntry.ts"
import { AdmitRegistration } from "../workspace/AdmitRegistration.ts"
import { makeEnterWorkspace } from "./EnterWorkspace.ts"

const creations: RateLimit = { name: "workspaces", limit: 10, window: Duration.hours(1) }

const notFound = (id: WorkspaceId) =>
  new NotFound({ message: `You are not a member of ${id}`, hint: "List your workspaces with GET /api/v1/me/workspaces" })

interface NewWorkspace {
  readonly name: string
  readonly invitation?: string
}

export class PersonWorkspaces extends Effect.Service<PersonWorkspaces>()("belltower/PersonWorkspaces", {
  effect: Effect.gen(function*() {
    const limits = yield* RateLimits
    const sessions = yield* Sessions
    const entry = yield* WorkspaceEntry
    const entering = yield* makeEnterWorkspace
    const registration = yield* AdmitRegistration
    const plan = initialPlan((yield* Billing) !== null)

    /** In order of joining. The current one is the session's workspace, or else the first. */
    const list = Effect.fn("PersonWorkspaces.list")(function*({ userId, workspaceId }: PersonIdentity) {
      return withCurrent(yield* entry.workspacesOf(userId), workspaceId)
    })

    const switchTo = Effect.fn("PersonWorkspaces.switchTo")(function*(person: PersonIdentity, id: WorkspaceId) {
      const workspace = (yield* list(person)).find((mine) => mine.id === id)
      if (workspace === undefined) return yield* notFound(id)
      yield* sessions.switchTo(person.sessionId, id)
      return { ...workspace, current: true }
    })

    /** A person who makes monitors in one workspace reaches nothing new by another. */
    const writesSomewhere = ({ userId }: PersonIdentity) =>
      Effect.map(entry.workspacesOf(userId), (theirs) => theirs.some(({ role }) => role !== "viewer"))

    const admitted = Effect.fn("PersonWorkspaces.admitted")(
      function*(person: PersonIdentity, invitation: string | undefined, { isLocal }: Pick<Applicant, "isLocal">) {
        if (yield* sessions.isOfOperator(person.sessionId)) return
        // The session's cookie comes from pages of this service only.
        const standing = { isForeign: false, isInside: isLocal || (yield* writesSomewhere(person)) }
        yield* registration.workspace(standing, invitation)
      }
    )

    /**
     * Creates a workspace that the person owns, and switches the session to it. Fails with `rate_limited`, and with `forbidden` where
     * the operator admits only others.
     */
    const create = Effect.fn("PersonWorkspaces.create")(
      function*(person: PersonIdentity, { invitation, name: given }: NewWorkspace, applicant: Pick<Applicant, "isLocal">) {
        yield* admitted(person, invitation, applicant)
        yield* limits.take(creations, person.userId)
        const name = given.trim()
        const founding = Effect.zipRight(
          registration.use(invitation),
          Effect.asSome(entry.found(person.userId, name, plan))
        )
        const id = yield* Effect.catchTag(
          Effect.flatten(entering(person, "create_workspace", founding)),
          "NoSuchElementException",
          Effect.die
        )
        return { id, name, role: "owner", current: true } satisfies MyWorkspace
      }
    )

    return { list, switchTo, create }
  })
}) {}
