/** The home of somebody who is signed in, their contact and their mail, and where links from records lead. */
import { Effect, Option, Schema } from "effect"
import { Person } from "../../schema/api/PersonAccess.ts"
import { NotFound } from "../../schema/Errors.ts"
import { name } from "../../schema/Fields.ts"
import { IncidentId, MailId, WorkspaceId } from "../../schema/Ids.ts"
import { ContactUpdate } from "../../schema/people/Person.ts"
import { contact, updateContact } from "../http/people/Contact.ts"
import { createWorkspace, myWorkspaces, switchWorkspace } from "../http/people/PersonWorkspaces.ts"
import { BaseUrl } from "../links/BaseUrl.ts"
import { linksFrom } from "../links/Links.ts"
import { Incidents } from "../store/incident/Incidents.ts"
import { MailMode } from "../store/mail/MailMode.ts"
import { Mails } from "../store/mail/Mails.ts"
import { Monitors } from "../store/monitor/Monitors.ts"
import { Pages } from "../store/page/Pages.ts"
import { form, ours } from "./Forms.ts"
import { HomePage } from "./html/HomePage.tsx"
import { ContactPage, MailPage, MailsPage } from "./html/PersonalPages.tsx"
import { IncidentPage, MonitorPage } from "./html/RecordPages.tsx"
import { show } from "./html/Shell.tsx"
import { pages } from "./PageRouter.ts"
import { goTo } from "./Reply.ts"
import { signedIn } from "./SignedIn.ts"
import { asked, param } from "./SignInRoutes.ts"

/** More would make a long page of what a dashboard shows better. */
const mostShown = 100

const homePage = (wrong?: string, status = 200) =>
  Effect.gen(function*() {
    const { user } = yield* Person
    const workspaces = yield* myWorkspaces()
    const current = workspaces.find((workspace) => workspace.current)
    const monitors = current === undefined ? [] : yield* Effect.flatMap(Monitors, (store) => store.list(current.id, null, null))
    const statusPages = current === undefined ? [] : yield* Effect.flatMap(Pages, (store) => store.list(current.id))
    const body = HomePage({
      email: user.email,
      workspaces,
      wrong,
      monitors: monitors.slice(0, mostShown),
      pages: statusPages.slice(0, mostShown)
    })
    return yield* show({ title: current?.name ?? "Welcome", status, body })
  })

const makeWorkspace = form(Schema.Struct({ name: name(80) })).pipe(
  Effect.flatMap((fields) => createWorkspace(fields.name)),
  Effect.as(goTo("/app")),
  Effect.catchTag("validation_failed", () => homePage("A workspace needs a name of at most 80 characters.", 422))
)

const isWorkspace = Schema.is(WorkspaceId)

const switchIt = Effect.gen(function*() {
  yield* ours
  const id = yield* param("id")
  if (isWorkspace(id)) yield* switchWorkspace(id)
  return goTo("/app")
})

const contactPage = (wrong?: string, status = 200) =>
  Effect.gen(function*() {
    const saved = (yield* asked("saved")) !== null && wrong === undefined
    return yield* show({ title: "Contact", status, body: ContactPage({ contact: yield* contact(), saved, wrong }) })
  })

const { name: personName, phone, slack, telegram } = ContactUpdate.fields

/** What a form leaves empty is cleared. */
const saveContact = form(Schema.Struct({ name: personName, phone, slack, telegram })).pipe(
  Effect.flatMap((given) => updateContact({ name: null, phone: null, slack: null, telegram: null, ...given })),
  Effect.as(goTo("/app/contact?saved=1")),
  Effect.catchTag("validation_failed", ({ message }) => contactPage(`${message}.`, 422))
)

const mailsPage = Effect.gen(function*() {
  const { user, userId } = yield* Person
  const mails = yield* Effect.flatMap(Mails, (store) => store.captured(userId))
  const captures = (yield* MailMode) === "captured"
  return yield* show({ title: "Mail", body: MailsPage({ email: user.email, mails, captures }) })
})

const missing = (what: string) => new NotFound({ message: `There is no such ${what} in your workspaces` })

const mailPage = Effect.gen(function*() {
  const { user, userId } = yield* Person
  const mails = yield* Mails
  const mail = yield* mails.read(userId, MailId.make(yield* param("id")))
  if (Option.isNone(mail)) return yield* missing("mail")
  const body = MailPage({ email: user.email, mail: mail.value, baseUrl: yield* BaseUrl })
  return yield* show({ title: mail.value.subject, body })
})

/** The first of one's workspaces in which something is found: a link knows no workspace. */
const inMine = <A, E, R>(find: (workspaceId: WorkspaceId) => Effect.Effect<Option.Option<A>, E, R>) =>
  Effect.gen(function*() {
    for (const { id, name: workspace } of yield* myWorkspaces()) {
      const found = yield* find(id)
      if (Option.isSome(found)) return Option.some({ workspace, found: found.value })
    }
    return Option.none()
  })

const monitorPage = Effect.gen(function*() {
  const { user } = yield* Person
  const id = yield* param("id")
  const monitors = yield* Monitors
  const mine = yield* inMine((workspaceId) => monitors.find(workspaceId, id))
  if (Option.isNone(mine)) return yield* missing("monitor")
  const { found: monitor, workspace } = mine.value
  return yield* show({ title: monitor.name, body: MonitorPage({ email: user.email, monitor, workspace }) })
})

const incidentPage = Effect.gen(function*() {
  const { user } = yield* Person
  const id = IncidentId.make(yield* param("id"))
  const incidents = yield* Incidents
  const links = linksFrom(yield* BaseUrl)
  const mine = yield* inMine((workspaceId) => incidents.find(workspaceId, id, links.incident))
  if (Option.isNone(mine)) return yield* missing("incident")
  const { found: incident, workspace } = mine.value
  return yield* show({ title: incident.title, body: IncidentPage({ email: user.email, incident, workspace }) })
})

export const layer = pages((router) =>
  Effect.gen(function*() {
    yield* router.get("/app", signedIn(homePage()))
    yield* router.post("/app/workspaces", signedIn(makeWorkspace))
    yield* router.post("/app/workspaces/:id/switch", signedIn(switchIt))
    yield* router.get("/app/contact", signedIn(contactPage()))
    yield* router.post("/app/contact", signedIn(saveContact))
    yield* router.get("/app/mail", signedIn(mailsPage))
    yield* router.get("/app/mail/:id", signedIn(mailPage))
    yield* router.get("/app/monitors/:id", signedIn(monitorPage))
    yield* router.get("/app/incidents/:id", signedIn(incidentPage))
  })
)
