/** The pages for claiming a workspace, for accepting an invitation, and for making a workspace by one of the operator. */
import { HttpServerRequest } from "@effect/platform"
import { Effect, Option, Schema } from "effect"
import { name } from "../../../schema/Fields.ts"
import { EmailAddress } from "../../../schema/people/Person.ts"
import { currentPerson } from "../../http/guard/CurrentPerson.ts"
import { withSession } from "../../http/guard/SessionCookie.ts"
import { clientAddress } from "../../http/request/ClientAddress.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { AcceptInvitation } from "../../operations/people/AcceptInvitation.ts"
import { ClaimWorkspace } from "../../operations/people/ClaimWorkspace.ts"
import { PersonWorkspaces } from "../../operations/people/PersonWorkspaces.ts"
import { RequestSignIn } from "../../operations/people/RequestSignIn.ts"
import { AdmitRegistration } from "../../operations/workspace/AdmitRegistration.ts"
import { form, goTo, requireSameOrigin } from "../Forms.ts"
import { signedIn } from "../SignedIn.ts"
import { ClaimAsPage, ClaimedPage, ClaimPage } from "./ClaimPages.tsx"
import { show } from "./Frame.tsx"
import { AcceptPage, OpenLinkPage, RegisterAsPage, RegisterPage, SignInToAcceptPage } from "./JoinPages.tsx"
import { pages, param } from "./PageRouter.ts"
import { readSetup } from "./ReadSetup.ts"
import { orDeadLink } from "./Reply.ts"
import { mailLink, visitor, waysIn, wrongAddress } from "./SignInRoutes.ts"

const NamedWorkspace = Schema.Struct({ name: name(80) })

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
  const path = yield* signIn.newcomerLink(email, next, clientAddress(yield* HttpServerRequest.HttpServerRequest))
  return yield* show({ title: "Open your link", body: OpenLinkPage({ email, path, next }) })
})

/** Signs in somebody whom a link in their hands entitles to an account. */
const signInFrom = Effect.fn("JoinRoutes.signInFrom")(function*(email: EmailAddress, next: string) {
  const { sendsMail } = yield* RequestSignIn
  return (yield* sendsMail) ? yield* mailLink(email, next) : yield* showLink(email, next)
})

const Address = Schema.Struct({ email: EmailAddress })

const signInToClaim = Effect.gen(function*() {
  const token = yield* param("token")
  const { email } = yield* form(Address)
  // A claimed workspace must not hand out sign-in links.
  if ((yield* lookAtClaim(token)).claimed) return yield* showClaim(token, null)
  return yield* signInFrom(email, `/claim/${token}`)
}).pipe(
  Effect.catchTag(
    "validation_failed",
    () => Effect.flatMap(param("token"), (token) => showClaim(token, null, wrongAddress))
  )
)

/** The code of the operator's invitation in the path, which is valid. */
const invitationCode = Effect.gen(function*() {
  const code = yield* param("code")
  yield* Effect.flatMap(AdmitRegistration, ({ look }) => look(code))
  return code
})

const registerPage = Effect.fn("JoinRoutes.registerPage")(function*(wrong?: string) {
  const code = yield* invitationCode
  const person = yield* currentPerson
  const body = Option.isSome(person)
    ? RegisterAsPage({ code, email: person.value.user.email, wrong })
    : RegisterPage({ code, ways: yield* waysIn(`/register/${code}`, wrong) })
  return yield* show({ title: "Create a workspace", status: wrong === undefined ? 200 : 422, body })
})

const register = Effect.gen(function*() {
  const code = yield* invitationCode
  const named = yield* form(NamedWorkspace)
  const { create } = yield* PersonWorkspaces
  return yield* signedIn((person) => Effect.as(create(person, { ...named, invitation: code }, { isLocal: false }), goTo("/app")))
}).pipe(Effect.catchTag("validation_failed", () => registerPage("Enter a name for the workspace.")))

const signInToRegister = Effect.gen(function*() {
  const code = yield* invitationCode
  const { email } = yield* form(Address)
  return yield* signInFrom(email, `/register/${code}`)
}).pipe(Effect.catchTag("validation_failed", () => registerPage(wrongAddress)))

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
  return withSession(session, yield* BaseUrl)(goTo("/app"))
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
    yield* router.get("/register/:code", registerPage())
    yield* router.post("/register/:code", register)
    yield* router.post("/register/:code/email", signInToRegister, "/register/:code")
    yield* router.get("/invite/:token", orDead(invitationPage))
    yield* router.post("/invite/:token", orDead(accept))
    yield* router.post("/invite/:token/join", orDead(join), "/invite/:token")
    yield* router.post("/invite/:token/email", orDead(signInToAccept), "/invite/:token")
  })
)
