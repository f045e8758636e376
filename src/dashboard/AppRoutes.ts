/** The pages of a signed-in person about themselves: workspaces, contact, digests and mail. */
import { Effect, Schema } from "effect"
import { name } from "../../schema/Fields.ts"
import { MailId, WorkspaceId } from "../../schema/Ids.ts"
import { ContactUpdate } from "../../schema/people/Person.ts"
import type { PersonIdentity } from "../../schema/people/PersonIdentity.ts"
import { BaseUrl } from "../links/BaseUrl.ts"
import { PersonDigests } from "../operations/digest/PersonDigests.ts"
import { ReadMail } from "../operations/mail/ReadMail.ts"
import { PersonContact } from "../operations/people/PersonContact.ts"
import { PersonWorkspaces } from "../operations/people/PersonWorkspaces.ts"
import { form, postedText, requireSameOrigin } from "./Forms.ts"
import { InDashboard } from "./frame/ShowAgain.ts"
import { DigestPage } from "./html/DigestPage.tsx"
import { HomePage } from "./html/HomePage.tsx"
import { ContactPage, MailPage, MailsPage } from "./html/PersonalPages.tsx"
import { show } from "./html/Shell.tsx"
import { pages } from "./PageRouter.ts"
import { param, queryParam } from "./Parameters.ts"
import { goTo } from "./Reply.ts"
import { signedIn } from "./SignedIn.ts"
import { themes } from "./Theme.ts"
import { withTheme } from "./ThemeCookie.ts"

/** What was typed, and why it was refused. */
interface RefusedTexts {
  readonly wrong: string
  readonly typed: URLSearchParams
}

const refusedTexts = (wrong: string) =>
  Effect.map(postedText(), (text): RefusedTexts => ({ wrong, typed: new URLSearchParams(text) }))

const homePage = Effect.fn("AppRoutes.home")(function*(person: PersonIdentity, refused: RefusedTexts | null = null) {
  const workspaces = yield* Effect.flatMap(PersonWorkspaces, ({ list }) => list(person))
  const body = HomePage({
    email: person.user.email,
    workspaces,
    wrong: refused?.wrong,
    typedName: refused?.typed.get("name") ?? null
  })
  return yield* show({ title: "Workspaces", status: refused === null ? 200 : 422, body })
})

const createWorkspace = (person: PersonIdentity) =>
  form(Schema.Struct({ name: name(80) })).pipe(
    Effect.flatMap((fields) => Effect.flatMap(PersonWorkspaces, (workspaces) => workspaces.create(person, fields.name))),
    Effect.as(goTo("/app")),
    Effect.catchTag("validation_failed", () =>
      Effect.flatMap(refusedTexts("Enter a name of at most 80 characters."), (refused) => homePage(person, refused)))
  )

const isWorkspace = Schema.is(WorkspaceId)
const isInDashboard = Schema.is(InDashboard)

const switchWorkspace = Effect.fn("AppRoutes.switch")(function*(person: PersonIdentity) {
  yield* requireSameOrigin
  const id = yield* param("id")
  const workspaces = yield* PersonWorkspaces
  if (isWorkspace(id)) yield* workspaces.switchTo(person, id)
  const next = yield* queryParam("next")
  return goTo(next !== null && isInDashboard(next) ? next : "/app")
})

const contactPage = Effect.fn("AppRoutes.contact")(function*(person: PersonIdentity, refused: RefusedTexts | null = null) {
  const stored = yield* Effect.flatMap(PersonContact, ({ get }) => get(person))
  const typed = (field: keyof ContactUpdate) => refused === null ? stored[field] : refused.typed.get(field)
  const contact = {
    email: stored.email,
    name: typed("name"),
    phone: typed("phone"),
    slack: typed("slack"),
    telegram: typed("telegram")
  }
  const saved = (yield* queryParam("saved")) !== null && refused === null
  const { isProved, keepsMail } = yield* ReadMail
  const confirmed = yield* isProved(person)
  const body = ContactPage({ captures: yield* keepsMail, contact, confirmed, saved, wrong: refused?.wrong })
  return yield* show({ title: "Contact", status: refused === null ? 200 : 422, body })
})

const { name: personName, phone, slack, telegram } = ContactUpdate.fields
const cleared: ContactUpdate = { name: null, phone: null, slack: null, telegram: null }

/** An empty field of the form clears its value. */
const saveContact = (person: PersonIdentity) =>
  form(Schema.Struct({ name: personName, phone, slack, telegram })).pipe(
    Effect.flatMap((given) => Effect.flatMap(PersonContact, (contact) => contact.update(person, { ...cleared, ...given }))),
    Effect.as(goTo("/app/contact?saved=1")),
    Effect.catchTag("validation_failed", ({ message }) =>
      Effect.flatMap(refusedTexts(`${message}.`), (refused) => contactPage(person, refused)))
  )

const digestPage = Effect.fn("AppRoutes.digest")(function*(person: PersonIdentity) {
  const captures = yield* Effect.flatMap(ReadMail, ({ keepsMail }) => keepsMail)
  const digests = yield* Effect.flatMap(PersonDigests, ({ list }) => list(person))
  const saved = (yield* queryParam("saved")) !== null
  return yield* show({ title: "Weekly digest", body: DigestPage({ captures, email: person.user.email, digests, saved }) })
})

const changeDigest = Effect.fn("AppRoutes.changeDigest")(function*(person: PersonIdentity) {
  const { subscribed } = yield* form(Schema.Struct({ subscribed: Schema.BooleanFromString }))
  const id = yield* param("id")
  const { subscribe } = yield* PersonDigests
  if (isWorkspace(id)) yield* subscribe(person, id, subscribed)
  return goTo("/app/digest?saved=1")
})

const mailsPage = Effect.fn("AppRoutes.mails")(function*(person: PersonIdentity) {
  const { isProved, keepsMail, list } = yield* ReadMail
  const proved = yield* isProved(person)
  const body = MailsPage({ email: person.user.email, proved, mails: yield* list(person), captures: yield* keepsMail })
  return yield* show({ title: "Mail", body })
})

const mailPage = Effect.fn("AppRoutes.mail")(function*(person: PersonIdentity) {
  const mails = yield* ReadMail
  const mail = yield* mails.get(person, MailId.make(yield* param("id")))
  return yield* show({ title: mail.subject, body: MailPage({ email: person.user.email, mail, baseUrl: yield* BaseUrl }) })
})

/** Anyone may choose, so that the pages without a session follow, too. */
const chooseTheme = Effect.map(
  form(Schema.Struct({ theme: Schema.Literal(...themes), next: Schema.optionalWith(InDashboard, { default: () => "/app" }) })),
  ({ next, theme }) => withTheme(goTo(next), theme)
)

export const layer = pages((router) =>
  Effect.gen(function*() {
    yield* router.get("/app/workspaces", signedIn((person) => homePage(person)))
    yield* router.post("/app/workspaces", signedIn(createWorkspace))
    yield* router.post("/app/workspaces/:id/switch", signedIn(switchWorkspace), "/app/workspaces")
    yield* router.post("/app/theme", chooseTheme, "/app")
    yield* router.get("/app/contact", signedIn((person) => contactPage(person)))
    yield* router.post("/app/contact", signedIn(saveContact))
    yield* router.get("/app/digest", signedIn(digestPage))
    yield* router.post("/app/digest/:id", signedIn(changeDigest), "/app/digest")
    yield* router.get("/app/mail", signedIn(mailsPage))
    yield* router.get("/app/mail/:id", signedIn(mailPage))
  })
)
