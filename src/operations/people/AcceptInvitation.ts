/** Accepts an invitation, which makes a person a member of a workspace. */
import { Effect, Option } from "effect"
import { Conflict, Forbidden, NotFound } from "../../../schema/Errors.ts"
import type { EmailAddress } from "../../../schema/people/Person.ts"
import type { PersonIdentity } from "../../../schema/people/PersonIdentity.ts"
import { programCommand } from "../../domain/workspace/ProgramCommand.ts"
import { Sessions } from "../../store/people/Sessions.ts"
import { Users } from "../../store/people/Users.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { WorkspaceEntry } from "../../store/workspace/WorkspaceEntry.ts"
import { AuditTrail } from "../access/AuditTrail.ts"
import { foundOr } from "../NoSuch.ts"
import { makeEnterWorkspace } from "./EnterWorkspace.ts"
import { PersonSessions, type Visitor } from "./PersonSessions.ts"

const noInvitation = new NotFound({
  message: "This invitation was accepted, withdrawn or replaced, or has expired",
  hint: "Ask the person who invited you for a new invitation"
})

const forAnother = (invited: string, signedIn: string) =>
  new Forbidden({
    message: `This invitation is for ${invited}, but you are signed in as ${signedIn}`,
    hint: `Sign in as ${invited} to accept it`
  })

const accountExists = new Conflict({
  message: "An account with this address already exists",
  hint: "Sign in, then accept the invitation"
})

const unproved = (email: string) =>
  new Forbidden({
    message: `To accept an invitation with an existing account, prove that ${email} is yours`,
    hint:
      `Sign in with a link sent to ${email}, or with Google or GitHub. Where no mail server is set, the server's operator creates ` +
      `the link with: ${programCommand(`sign-in-link ${email}`)}`
  })

const operation = "accept_invitation"

export class AcceptInvitation extends Effect.Service<AcceptInvitation>()("belltower/AcceptInvitation", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const entry = yield* WorkspaceEntry
    const users = yield* Users
    const sessions = yield* Sessions
    const personSessions = yield* PersonSessions
    const audit = yield* AuditTrail
    const entering = yield* makeEnterWorkspace

    const look = Effect.fn("AcceptInvitation.look")((token: string) => foundOr(entry.invitationAt(token), () => noInvitation))

    const isProved = Effect.fn("AcceptInvitation.isProved")(function*({ userId }: PersonIdentity) {
      return Option.exists(yield* users.get(userId), ({ proved }) => proved)
    })

    /** Makes the person a member. Fails with `forbidden` for another address, or one that nobody has proved to be theirs. */
    const accept = Effect.fn("AcceptInvitation.accept")(function*(person: PersonIdentity, token: string) {
      const { user, userId } = person
      const { email } = yield* look(token)
      if (email !== user.email) return yield* forAnother(email, user.email)
      if (!(yield* isProved(person))) return yield* unproved(email)
      return yield* foundOr(entering(person, operation, entry.accept(token, userId)), () => noInvitation)
    })

    /** Creates the account and a session. This proves the address if the invitation was really sent to it. */
    const acceptAsNewcomer = Effect.fn("AcceptInvitation.acceptAsNewcomer")(function*(token: string, visitor: Visitor) {
      const { email, mailed } = yield* look(token)
      return yield* transaction(Effect.gen(function*() {
        const user = yield* foundOr(users.create(email, mailed), () => accountExists)
        const workspaceId = yield* foundOr(entry.accept(token, user.id), () => noInvitation)
        const session = yield* personSessions.begin(user, "invitation", visitor)
        yield* sessions.switchTo(session.id, workspaceId)
        const principal = { _tag: "User", userId: user.id, sessionId: session.id } as const
        yield* audit.record({ workspaceId, principal, operation, target: user.id })
        return session
      }))
    })

    return {
      look,
      hasAccount: (email: EmailAddress) => Effect.map(users.findByEmail(email), Option.isSome),
      /** Whether a signed-in person can accept an invitation to an address. */
      mayAccept: (person: PersonIdentity, email: EmailAddress) =>
        person.user.email === email ? isProved(person) : Effect.succeed(false),
      accept,
      acceptAsNewcomer
    }
  })
}) {}
