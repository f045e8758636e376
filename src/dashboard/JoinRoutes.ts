/** The claim of a workspace and the acceptance of an invitation, as pages. */
import { Effect, Option, Schema } from "effect"
import { EmailAddress } from "../../schema/people/Person.ts"
import { currentPerson } from "../http/guard/CurrentPerson.ts"
import { withSession } from "../http/guard/SessionCookie.ts"
import {
  acceptInvitation,
  claimWorkspace,
  joinAsNewcomer,
  lookAtClaim,
  lookAtInvitation
} from "../http/people/PersonWorkspaces.ts"
import { newcomerLink, requestSignIn } from "../http/people/SignIn.ts"
import { BaseUrl } from "../links/BaseUrl.ts"
import { MailMode } from "../store/mail/MailMode.ts"
import { Users } from "../store/people/Users.ts"
import { form, ours } from "./Forms.ts"
import {
  AcceptPage,
  ClaimAsPage,
  ClaimedPage,
  ClaimPage,
  KnownAddressPage,
  OpenLinkPage,
  SignInToAcceptPage
} from "./html/JoinPages.tsx"
import { show } from "./html/Shell.tsx"
import { pages } from "./PageRouter.ts"
import { goTo } from "./Reply.ts"
import { signedIn } from "./SignedIn.ts"
import { checkMail, param, waysIn } from "./SignInRoutes.ts"

const claimTitle = "Claim this workspace"

const claimForm = (token: string, wrong?: string) =>
  Effect.gen(function*() {
    const claim = yield* lookAtClaim(token)
    if (claim.claimed) return yield* show({ title: "Already claimed", body: ClaimedPage(claim) })
    const ways = yield* waysIn(`/claim/${token}`, wrong)
    const status = wrong === undefined ? 200 : 422
    return yield* show({ title: claimTitle, status, body: ClaimPage({ claim: { ...claim, token }, ways }) })
  })

const claimPage = Effect.gen(function*() {
  const token = yield* param("token")
  const person = yield* currentPerson
  if (Option.isNone(person)) return yield* claimForm(token)
  const claim = yield* lookAtClaim(token)
  return claim.claimed
    ? yield* show({ title: "Already claimed", body: ClaimedPage(claim) })
    : yield* show({ title: claimTitle, body: ClaimAsPage({ claim: { ...claim, token }, email: person.value.user.email }) })
})

const claimIt = Effect.gen(function*() {
  yield* ours
  const token = yield* param("token")
  return yield* signedIn(Effect.as(claimWorkspace(token), goTo("/app")))
})

const signInToClaim = Effect.gen(function*() {
  const token = yield* param("token")
  const { email } = yield* form(Schema.Struct({ email: EmailAddress }))
  // Only a claim that can still be made opens a way in.
  if ((yield* lookAtClaim(token)).claimed) return yield* claimForm(token)
  const next = `/claim/${token}`
  if ((yield* MailMode) === "sent") return yield* Effect.zipRight(requestSignIn({ email, next }), checkMail(email))
  const path = yield* newcomerLink({ email, next })
  return yield* Option.match(path, {
    onNone: () => show({ title: "Sign in", body: KnownAddressPage({ email }) }),
    onSome: (link) => show({ title: "Open your link", body: OpenLinkPage({ email, path: link }) })
  })
}).pipe(
  Effect.catchTag(
    "validation_failed",
    () => Effect.flatMap(param("token"), (token) => claimForm(token, "That is no email address."))
  )
)

const invitationPage = Effect.gen(function*() {
  const token = yield* param("token")
  const invitation = { ...(yield* lookAtInvitation(token)), token }
  const title = `Join ${invitation.workspaceName}`
  const email = Option.map(yield* currentPerson, ({ user }) => user.email)
  if (Option.contains(email, invitation.email)) {
    return yield* show({ title, body: AcceptPage({ invitation, signedIn: true, instead: null }) })
  }
  const account = yield* Effect.flatMap(Users, (users) => users.findByEmail(invitation.email))
  return Option.isNone(account)
    ? yield* show({ title, body: AcceptPage({ invitation, signedIn: false, instead: Option.getOrNull(email) }) })
    : yield* show({ title, body: SignInToAcceptPage({ invitation, other: Option.getOrNull(email) }) })
})

const accept = Effect.gen(function*() {
  yield* ours
  const token = yield* param("token")
  return yield* signedIn(Effect.as(acceptInvitation(token), goTo("/app")))
})

const join = Effect.gen(function*() {
  yield* ours
  const session = yield* joinAsNewcomer(yield* param("token"))
  return withSession(session.token, yield* BaseUrl)(goTo("/app"))
})

const signInToAccept = Effect.gen(function*() {
  yield* ours
  const token = yield* param("token")
  const { email } = yield* lookAtInvitation(token)
  yield* requestSignIn({ email, next: `/invite/${token}` })
  return yield* checkMail(email)
})

export const layer = pages((router) =>
  Effect.gen(function*() {
    yield* router.get("/claim/:token", claimPage)
    yield* router.post("/claim/:token", claimIt)
    yield* router.post("/claim/:token/email", signInToClaim)
    yield* router.get("/invite/:token", invitationPage)
    yield* router.post("/invite/:token", accept)
    yield* router.post("/invite/:token/join", join)
    yield* router.post("/invite/:token/email", signInToAccept)
  })
)
