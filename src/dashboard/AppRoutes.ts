/** The pages of a signed-in person: home, contact, mail, and the monitor and incident pages that records link to. */
import { Effect, Schema } from "effect"
import { name } from "../../schema/Fields.ts"
import { MailId, WorkspaceId } from "../../schema/Ids.ts"
import { ContactUpdate } from "../../schema/people/Person.ts"
import type { PersonIdentity } from "../../schema/people/PersonIdentity.ts"
import { BaseUrl } from "../links/BaseUrl.ts"
import { ReadMail } from "../operations/mail/ReadMail.ts"
import { PersonContact } from "../operations/people/PersonContact.ts"
import { PersonWorkspaces } from "../operations/people/PersonWorkspaces.ts"
import { ReadHome } from "../operations/workspace/ReadHome.ts"
import { form, requireSameOrigin } from "./Forms.ts"
import { HomePage } from "./html/HomePage.tsx"
import { ContactPage, MailPage, MailsPage } from "./html/PersonalPages.tsx"
import { IncidentPage, MonitorPage } from "./html/RecordPages.tsx"
import { show } from "./html/Shell.tsx"
import { pages } from "./PageRouter.ts"
import { param, queryParam } from "./Parameters.ts"
import { goTo } from "./Reply.ts"
import { signedIn } from "./SignedIn.ts"

const homePage = Effect.fn("AppRoutes.home")(function*(person: PersonIdentity, wrong?: string, status = 200) {
  const home = yield* ReadHome
  const found = yield* home.home(person)
  const title = found.workspaces.find(({ current }) => current)?.name ?? "Welcome"
  return yield* show({ title, status, body: HomePage({ email: person.user.email, wrong, ...found }) })
})

const createWorkspace = (person: PersonIdentity) =>
  form(Schema.Struct({ name: name(80) })).pipe(
    Effect.flatMap((fields) => Effect.flatMap(PersonWorkspaces, (workspaces) => workspaces.create(person, fields.name))),
    Effect.as(goTo("/app")),
    Effect.catchTag("validation_failed", () => homePage(person, "Enter a name of at most 80 characters.", 422))
  )

const isWorkspace = Schema.is(WorkspaceId)

const switchWorkspace = Effect.fn("AppRoutes.switch")(function*(person: PersonIdentity) {
  yield* requireSameOrigin
  const id = yield* param("id")
  const workspaces = yield* PersonWorkspaces
  if (isWorkspace(id)) yield* workspaces.switchTo(person, id)
  return goTo("/app")
})

const contactPage = Effect.fn("AppRoutes.contact")(function*(person: PersonIdentity, wrong?: string, status = 200) {
  const contact = yield* Effect.flatMap(PersonContact, ({ get }) => get(person))
  const saved = (yield* queryParam("saved")) !== null && wrong === undefined
  return yield* show({ title: "Contact", status, body: ContactPage({ contact, saved, wrong }) })
})

const { name: personName, phone, slack, telegram } = ContactUpdate.fields
const cleared: ContactUpdate = { name: null, phone: null, slack: null, telegram: null }

/** An empty field of the form clears its value. */
const saveContact = (person: PersonIdentity) =>
  form(Schema.Struct({ name: personName, phone, slack, telegram })).pipe(
    Effect.flatMap((given) => Effect.flatMap(PersonContact, (contact) => contact.update(person, { ...cleared, ...given }))),
    Effect.as(goTo("/app/contact?saved=1")),
    Effect.catchTag("validation_failed", ({ message }) => contactPage(person, `${message}.`, 422))
  )

const mailsPage = Effect.fn("AppRoutes.mails")(function*(person: PersonIdentity) {
  const { isProved, keepsMail, list } = yield* ReadMail
  const proved = yield* isProved(person)
  const body = MailsPage({ email: person.user.email, proved, mails: yield* list(person), captures: keepsMail })
  return yield* show({ title: "Mail", body })
})

const mailPage = Effect.fn("AppRoutes.mail")(function*(person: PersonIdentity) {
  const mails = yield* ReadMail
  const mail = yield* mails.get(person, MailId.make(yield* param("id")))
  return yield* show({ title: mail.subject, body: MailPage({ email: person.user.email, mail, baseUrl: yield* BaseUrl }) })
})

const monitorPage = Effect.fn("AppRoutes.monitor")(function*(person: PersonIdentity) {
  const home = yield* ReadHome
  const { found: monitor, workspace } = yield* home.monitor(person, yield* param("id"))
  return yield* show({ title: monitor.name, body: MonitorPage({ email: person.user.email, monitor, workspace }) })
})

const incidentPage = Effect.fn("AppRoutes.incident")(function*(person: PersonIdentity) {
  const home = yield* ReadHome
  const { found: incident, workspace } = yield* home.incident(person, yield* param("id"))
  return yield* show({ title: incident.title, body: IncidentPage({ email: person.user.email, incident, workspace }) })
})

export const layer = pages((router) =>
  Effect.gen(function*() {
    yield* router.get("/app", signedIn((person) => homePage(person)))
    yield* router.post("/app/workspaces", signedIn(createWorkspace))
    yield* router.post("/app/workspaces/:id/switch", signedIn(switchWorkspace))
    yield* router.get("/app/contact", signedIn((person) => contactPage(person)))
    yield* router.post("/app/contact", signedIn(saveContact))
    yield* router.get("/app/mail", signedIn(mailsPage))
    yield* router.get("/app/mail/:id", signedIn(mailPage))
    yield* router.get("/app/monitors/:id", signedIn(monitorPage))
    yield* router.get("/app/incidents/:id", signedIn(incidentPage))
  })
)
