/** Signs people in by an emailed link, then by their second factor if it is on. */
import { Effect, Option } from "effect"
import { Unauthorized } from "../../../schema/Errors.ts"
import type { UserId } from "../../../schema/Ids.ts"
import type { EmailAddress } from "../../../schema/people/Person.ts"
import { home } from "../../domain/people/LocalPath.ts"
import { KnownBrowsers } from "../../store/people/KnownBrowsers.ts"
import { SecondFactors } from "../../store/people/SecondFactors.ts"
import { Sessions } from "../../store/people/Sessions.ts"
import { type LinkOrigin, type SignInLink, SignInLinks } from "../../store/people/SignInLinks.ts"
import { Users } from "../../store/people/Users.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { tokenHash } from "../../store/Vault.ts"
import { makeTries } from "../access/Tries.ts"
import { AdmitRegistration } from "../workspace/AdmitRegistration.ts"
import { PersonSessions, type Visitor } from "./PersonSessions.ts"
import { ProveAddress } from "./ProveAddress.ts"
import { secondFactorTries, wrongCode } from "./SecondFactor.ts"

const expired = new Unauthorized({ message: "This sign-in has expired", hint: "Start again at /sign-in" })

/** A person's decision about an account whose address was used before without proof. */
export type PriorAccess = "keep" | "remove"

/** Without a decision: the operator vouches for the person who has used the account; a mailbox says nothing about them. */
const usual = { mailed: "remove", operator: "keep", newcomer: null, captured: null } as const satisfies Record<
  LinkOrigin,
  PriorAccess | null
>

export class SignIn extends Effect.Service<SignIn>()("belltower/SignIn", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const users = yield* Users
    const links = yield* SignInLinks
    const sessions = yield* Sessions
    const personSessions = yield* PersonSessions
    const factors = yield* SecondFactors
    const tries = yield* makeTries
    const browsers = yield* KnownBrowsers
    const proofs = yield* ProveAddress
    const registration = yield* AdmitRegistration

    /** The operator admits those for whom they print a link, and only a page of an invitation shows one to a newcomer. */
    const admitted = Effect.fn("SignIn.admitted")(function*({ email, next, origin }: SignInLink) {
      if (origin === "operator" || origin === "newcomer" || Option.isSome(yield* users.findByEmail(email))) return
      yield* registration.account(email, next)
    })

    /** The user of a link, after the proof that it gives, and the workspaces that they left by it. Fails with `forbidden`. */
    const userOf = Effect.fn("SignIn.userOf")(function*(link: SignInLink, decided: PriorAccess | null) {
      const { email, origin } = link
      yield* admitted(link)
      if (origin === "newcomer") return { user: yield* users.createNewcomer(email), left: [] }
      const proof = usual[origin]
      const user = yield* users.ensure(email, proof !== null, null)
      return proof === null ? { user, left: [] } : yield* proofs.prove(user, (decided ?? proof) === "keep")
    })

    /**
     * Starts a session. `decided` applies to the first proof of the address. None if the link is used, expired or unknown; fails with
     * `forbidden` where the operator admits no new account, and the link stays as it was.
     */
    const redeem = Effect.fn("SignIn.redeem")((token: string, visitor: Visitor, decided: PriorAccess | null) =>
      transaction(Effect.gen(function*() {
        const link = yield* links.redeem(token)
        if (Option.isNone(link)) return Option.none()
        const { forOperator, next } = link.value
        const { left, user } = yield* userOf(link.value, decided)
        const session = yield* personSessions.begin(user, "email", visitor, forOperator)
        yield* proofs.recordLeaving(user, session.id, left)
        return Option.some({ ...session, next: next ?? home })
      }))
    )

    /** The workspaces that the account of an address has entered without proof, if opening this kind of link proves it. */
    const unprovedWorkspaces = Effect.fn("SignIn.unprovedWorkspaces")(function*(email: EmailAddress, origin: LinkOrigin) {
      if (usual[origin] === null) return []
      const user = Option.filter(yield* users.findByEmail(email), ({ proved }) => !proved)
      return Option.isNone(user) ? [] : yield* proofs.workspaces(user.value.id)
    })

    /** Reads a link without using it, and what its use would decide about; none if it is used, expired or unknown. */
    const look = Effect.fn("SignIn.look")(function*(token: string) {
      const link = yield* links.look(token)
      if (Option.isNone(link)) return Option.none()
      const { email, origin } = link.value
      return Option.some({ email, usual: usual[origin], workspaces: yield* unprovedWorkspaces(email, origin) })
    })

    const waiting = (token: string | undefined) => token === undefined ? Effect.succeedNone : sessions.findWaiting(token)

    /** Whose try it is. A browser in which the user has signed in has tries of its own, wherever it is. */
    const senderOf = Effect.fn("SignIn.senderOf")(function*(userId: UserId, { browserToken, ip }: Visitor) {
      if (browserToken === undefined || !(yield* browsers.isOfUser(userId, browserToken))) return { sender: ip, isKnown: false }
      return { sender: tokenHash(browserToken).toString("base64"), isKnown: true }
    })

    /** Checks the second factor; returns the session's new token, and that of the browser. Each code works once. */
    const passSecondFactor = Effect.fn("SignIn.passSecondFactor")(function*(visitor: Visitor, code: string) {
      const session = yield* waiting(visitor.sessionToken)
      if (Option.isNone(session)) return yield* expired
      const { id, userId } = session.value
      yield* tries(secondFactorTries, { target: userId, ...(yield* senderOf(userId, visitor)) })
      if (!(yield* factors.pass(userId, code))) return yield* wrongCode
      return yield* transaction(personSessions.admit(userId, id, visitor))
    })

    return {
      look,
      redeem,
      isWaiting: (sessionToken: string | undefined) => Effect.map(waiting(sessionToken), Option.isSome),
      passSecondFactor
    }
  })
}) {}
