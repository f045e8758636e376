/** The pages for claiming a workspace and for accepting an invitation. */
import { HttpServerRequest } from "@effect/platform"
import { Effect, Option, Schema } from "effect"
import { EmailAddress } from "../../../schema/people/Person.ts"
import { currentPerson } from "../../http/guard/CurrentPerson.ts"
import { withSession } from "../../http/guard/SessionCookie.ts"
import { clientAddress } from "../../http/request/ClientAddress.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { AcceptInvitation } from "../../operations/people/AcceptInvitation.ts"
import { ClaimWorkspace } from "../../operations/people/ClaimWorkspace.ts"
import { RequestSignIn } from "../../operations/people/RequestSignIn.ts"
import { form, goTo, requireSameOrigin } from "../Forms.ts"
import { signedIn } from "../SignedIn.ts"
import { ClaimAsPage, ClaimedPage, ClaimPage } from "./ClaimPages.tsx"
import { show } from "./Frame.tsx"
import { AcceptPage, OpenLinkPage, SignInToAcceptPage } from "./JoinPages.tsx"
import { pages, param } from "./PageRouter.ts"
import { readSetup } from "./ReadSetup.ts"
import { orDeadLink } from "./Reply.ts"
import { mailLink, visitor, waysIn } from "./SignInRoutes.ts"

const lookAtClaim = (token: string) => Effect.flatMap(ClaimWorkspace, ({ look }) => look(token))

/** The page of a claim for the person who is signed in, or with the ways to sign in. */
const showClaim = Effect.fn("JoinRoutes.showClaim")(function*(token: string, email: string | null, wrong?: string) {
  const claim = yield* lookAtClaim(token)
  if (claim.claimed) return yield* show({ title: "Already claimed", body: ClaimedPage(claim) })
  const whole = { ...claim, token, setup: yield* readSetup(claim.workspaceId) }
  const body = email === null
    ? ClaimPage({ claim: whole, ways: yield* waysIn(`/claim/${token}`, wrong) })
    : ClaimAsPage({ claim: whole, email })
  return yield* show({ title: "Claim this workspace", status: wrong === undefined ? 200 : 422, body })
})

const claimPage = Effect.gen(function*() {
  const person = yield* currentPerson
  return yield* showClaim(yield* param("token"), Option.isSome(person) ? person.value.user.email : null)
})

const claimWorkspace = Effect.gen(function*() {
  yield* requireSameOrigin
  const token = yield* param("token")
  const claims = yield* ClaimWorkspace
  return yield* signedIn((person) => Effect.as(claims.claim(person, token), goTo("/app")))
})

/** Without a mail server: shows the sign-in link of a new account. */
const showLink = Effect.fn("JoinRoutes.showLink")(function*(email: EmailAddress, next: string) {
  const signIn = yield* RequestSignIn
  const path = yield* signIn.newcomerLink({ email, next, ip: clientAddress(yield* HttpServerRequest.HttpServerRequest) })
  return yield* show({ title: "Open your link", body: OpenLinkPage({ email, path, next }) })
})

const signInToClaim = Effect.gen(function*() {
  const token = yield* param("token")
  const { email } = yield* form(Schema.Struct({ email: EmailAddress }))
  // A claimed workspace must not hand out sign-in links.
  if ((yield* lookAtClaim(token)).claimed) return yield* showClaim(token, null)
  const next = `/claim/${token}`
  const { sendsMail } = yield* RequestSignIn
  return (yield* sendsMail) ? yield* mailLink(email, next) : yield* showLink(email, next)
}).pipe(
  Effect.catchTag(
    "validation_failed",
    () => Effect.flatMap(param("token"), (token) => showClaim(token, null, "Enter a valid email address."))
  )
)

const invitationPage = Effect.gen(function*() {
  const token = yield* param("token")
  const invitations = yield* AcceptInvitation
  const invitation = { ...(yield* invitations.look(token)), token }
  const title = `Join ${invitation.workspaceName}`
  const person = yield* currentPerson
  const email = Option.getOrNull(Option.map(person, ({ user }) => user.email))
  if (Option.isSome(person) && (yield* invitations.mayAccept(person.value, invitation.email))) {
    return yield* show({ title, body: AcceptPage({ invitation, signedIn: true, instead: null }) })
  }
  const mails = yield* Effect.flatMap(RequestSignIn, ({ sendsMail }) => sendsMail)
  return (yield* invitations.hasAccount(invitation.email))
    ? yield* show({ title, body: SignInToAcceptPage({ invitation, as: email, mails }) })
    : yield* show({ title, body: AcceptPage({ invitation, signedIn: false, instead: email }) })
})

const accept = Effect.gen(function*() {
  yield* requireSameOrigin
  const token = yield* param("token")
  const invitations = yield* AcceptInvitation
  return yield* signedIn((person) => Effect.as(invitations.accept(person, token), goTo("/app")))
})

const join = Effect.gen(function*() {
  yield* requireSameOrigin
  const invitations = yield* AcceptInvitation
  const session = yield* invitations.acceptAsNewcomer(yield* param("token"), yield* visitor)
  return withSession(session.token, yield* BaseUrl)(goTo("/app"))
})

const signInToAccept = Effect.gen(function*() {
  yield* requireSameOrigin
  const token = yield* param("token")
  const { email } = yield* Effect.flatMap(AcceptInvitation, ({ look }) => look(token))
  return yield* mailLink(email, `/invite/${token}`)
})

export const layer = pages((router) =>
  Effect.gen(function*() {
    const orDead = orDeadLink(["/sign-in", "Sign in"])
    yield* router.get("/claim/:token", orDead(claimPage))
    yield* router.post("/claim/:token", orDead(claimWorkspace))
    yield* router.post("/claim/:token/email", orDead(signInToClaim), "/claim/:token")
    yield* router.get("/invite/:token", orDead(invitationPage))
    yield* router.post("/invite/:token", orDead(accept))
    yield* router.post("/invite/:token/join", orDead(join), "/invite/:token")
    yield* router.post("/invite/:token/email", orDead(signInToAccept), "/invite/:token")
  })
)
