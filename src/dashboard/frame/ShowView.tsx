/** The document around every view: navigation, workspace, notice, and the view's own API calls. */
import { HttpServerResponse } from "@effect/platform"
import type { ComponentChildren } from "preact"
import { renderToString } from "preact-render-to-string"
import { mayAct } from "../../domain/access/Roles.ts"
import "../../pages/html/LongWords.ts"
import { BulkButton, BulkForm, BulkRows } from "../design/BulkForm.tsx"
import { CopyCall } from "../design/CopyCall.tsx"
import { CallButton } from "../design/Form.tsx"
import { Icon, type IconName } from "../design/Icons.tsx"
import { showsRefusal, Unsent } from "../design/Refusal.tsx"
import { ThemeSwitch } from "../design/ThemeSwitch.tsx"
import { frameColors } from "../design/Tokens.ts"
import { Brand } from "../html/Shell.tsx"
import { scriptPath, stylePath } from "./Assets.ts"
import type { Restore } from "./BulkRow.ts"
import { isOperationId } from "./CallShapes.ts"
import { problemsOf } from "./FormProblems.ts"
import { openAround } from "./OpenAround.ts"
import { cookies } from "./ReadVisit.ts"
import type { Place, Shown } from "./View.ts"
import { type Submitted, useVisit, type VisitData, VisitProvider } from "./Visit.ts"

type Entry = readonly [place: Place, path: string, name: string, icon: IconName]

export const navigation: ReadonlyArray<readonly [heading: string | null, entries: ReadonlyArray<Entry>]> = [
  [null, [
    ["overview", "/app", "Overview", "overview"],
    ["monitors", "/app/monitors", "Monitors", "monitors"],
    ["incidents", "/app/incidents", "Incidents", "incidents"],
    ["maintenance", "/app/maintenance", "Maintenance", "maintenance"],
    ["pages", "/app/pages", "Status pages", "pages"],
    ["upstreams", "/app/upstreams", "Third parties", "upstreams"]
  ]],
  ["Alerts", [
    ["channels", "/app/channels", "Channels", "channels"],
    ["deliveries", "/app/deliveries", "Deliveries", "deliveries"],
    ["escalation", "/app/escalation", "Escalation", "escalation"],
    ["on-call", "/app/on-call", "On call", "on-call"],
    ["providers", "/app/providers", "Providers", "providers"]
  ]],
  ["Workspace", [
    ["members", "/app/members", "Members", "members"],
    ["keys", "/app/keys", "API keys", "keys"],
    ["audit", "/app/audit", "Audit log", "audit"],
    ["usage", "/app/usage", "Usage and plan", "usage"],
    ["import", "/app/import", "Import", "import"],
    ["plan", "/app/plan", "Export and plan", "plan"],
    ["digest", "/app/workspace-digest", "Weekly digest", "digest"]
  ]]
]

const Entries = ({ place }: { readonly place: Place }) => (
  <>
    {navigation.map(([heading, entries]) => (
      <>
        {heading === null ? null : <h2>{heading}</h2>}
        <ul>
          {entries.map(([entry, path, name, icon]) => (
            <li>
              <a href={path} {...(entry === place ? { "aria-current": "page" as const } : {})}>
                <Icon name={icon} />
                {name}
              </a>
            </li>
          ))}
        </ul>
      </>
    ))}
  </>
)

const rendered = new Map<Place, string>()

/** The entries are the same for everybody and twice in each document, so those of a place are rendered once. */
const entriesAt = (place: Place): string => {
  const before = rendered.get(place)
  if (before !== undefined) return before
  const made = renderToString(<Entries place={place} />)
  rendered.set(place, made)
  return made
}

const Navigation = ({ place }: { readonly place: Place }) => (
  <nav aria-label="Dashboard" dangerouslySetInnerHTML={{ __html: entriesAt(place) }} />
)

const Workspaces = () => {
  const { workspace, workspaces } = useVisit()
  return (
    <details class="workspace">
      <summary>
        <span title={workspace?.name}>{workspace?.name ?? "No workspace"}</span>
        <span aria-hidden="true">⌄</span>
      </summary>
      <div class="menu">
        {workspaces.filter(({ id }) => id !== workspace?.id).map(({ id, name }) => (
          <form method="post" action={`/app/workspaces/${id}/switch`}>
            <button>{name}</button>
          </form>
        ))}
        <a href="/app/workspaces">All workspaces</a>
      </div>
    </details>
  )
}

/** Whether live updates arrive; a script fills it in. */
const Live = () => (
  <p class="live" data-state="off" hidden>
    <i />
    <span>Live</span>
  </p>
)

const Account = () => {
  const { person } = useVisit()
  return (
    <div class="foot">
      <Live />
      <nav aria-label="Account">
        <ul>
          <li>
            <a href="/app/contact">
              <Icon name="account" />
              Your account
            </a>
          </li>
          <li>
            <a href="/docs">
              <Icon name="audit" />
              API reference
            </a>
          </li>
        </ul>
      </nav>
      <ThemeSwitch />
      <p class="who">
        {person.user.email}
      </p>
      <form method="post" action="/sign-out">
        <button class="plain tight">Sign out</button>
      </form>
    </div>
  )
}

const RestoreButton = ({ restore: { fields, operation, rows } }: { readonly restore: Restore }) =>
  isOperationId(operation) ?
    (
      <BulkForm id="undo">
        <BulkRows rows={rows} />
        <BulkButton call={operation} own={fields} said="Undone">Undo</BulkButton>
      </BulkForm>
    ) :
    null

const Notice = () => {
  const { notice } = useVisit()
  if (notice === null) return null
  const { restore, undo } = notice
  return (
    <div class="notice" role="status" id="notice">
      <span>{notice.said}</span>
      {restore === undefined ? null : <RestoreButton restore={restore} />}
      {undo === null || !isOperationId(undo.operation) ?
        null :
        (
          <CallButton call={undo.operation} id="undo" fixed={undo.given} then="/app" said="Undone" look="plain tight">
            Undo
          </CallButton>
        )}
    </div>
  )
}

/** Tells those who rely on mail that it reaches nobody. */
const CapturedMail = ({ place }: { readonly place: Place }) => {
  const { capturesMail, workspace } = useVisit()
  if (!capturesMail || place === "providers" || workspace === null || !mayAct(workspace.role, "admin")) return null
  return (
    <div class="banner of-mail is-warn" id="captured-mail">
      <span class="dot" aria-hidden="true" />
      <div>
        <p>
          <b>No mail server is set: mail is captured, not sent.</b>{" "}
          Alerts, pages, invitations and sign-in links by email reach nobody.
        </p>
      </div>
      <a class="button plain tight" href="/app/providers">Set up mail</a>
    </div>
  )
}

/** What the view read, as API calls. */
const Calls = () => {
  const { calls } = useVisit()
  const listed = calls.filter(({ operation }) => isOperationId(operation))
  return listed.length === 0 ? null : (
    <details class="calls">
      <summary>This view as API calls</summary>
      <div class="stack">
        {listed.slice(0, 12).map(({ given, operation }, index) =>
          isOperationId(operation) ? <CopyCall call={operation} given={given} id={`view-${index}`} named /> : null
        )}
      </div>
    </details>
  )
}

const Shell = ({ children, live, place, unsent }: {
  readonly children: ComponentChildren
  readonly place: Place
  readonly live: ReadonlyArray<string>
  /** A refused form that the view does not show. */
  readonly unsent: Submitted | null
}) => {
  const { notice, submitted, url } = useVisit()
  // A view that is shown in answer to a form tells its address, so that a script can give it to the browser.
  const address = submitted === null && notice?.restore === undefined ? {} : { "data-address": url }
  return (
    <>
      <a class="skip" href="#content">Skip to content</a>
      <header class="top">
        <Brand href="/app" />
        <Live />
        <details>
          <summary>Menu</summary>
          <div class="sheet">
            <Workspaces />
            <Navigation place={place} />
            <Account />
          </div>
        </details>
      </header>
      <div class="shell">
        <aside class="side" aria-label="Workspace and navigation">
          <Brand href="/app" />
          <Workspaces />
          <Navigation place={place} />
          <Account />
        </aside>
        <main class="main" id="content" tabindex={-1} data-live={live.join(" ")} {...address}>
          <Notice />
          <CapturedMail place={place} />
          {unsent === null ? null : <Unsent submitted={unsent} />}
          {children}
          <Calls />
        </main>
      </div>
      <div id="announce" class="sr" role="status" aria-live="polite" />
    </>
  )
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'"
].join("; ")

/** The colour of the browser's own frame. A script that switches the theme takes it from the data. */
const FrameColor = ({ mode, theme }: { readonly mode: "light" | "dark"; readonly theme: VisitData["theme"] }) => (
  <meta
    name="theme-color"
    media={`(prefers-color-scheme: ${mode})`}
    content={frameColors[theme === "system" ? mode : theme]}
    data-light={frameColors.light}
    data-dark={frameColors.dark}
  />
)

const documentOf = (visit: VisitData, title: string, body: ComponentChildren) =>
  `<!doctype html>${
    renderToString(
      <html lang={visit.locale} {...(visit.theme === "system" ? {} : { "data-theme": visit.theme })}>
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>{`${title} · Belltower`}</title>
          <meta name="robots" content="noindex" />
          {(["light", "dark"] as const).map((mode) => <FrameColor mode={mode} theme={visit.theme} />)}
          <link rel="icon" href="data:," />
          <link rel="stylesheet" href={stylePath} />
          {scriptPath === null ? null : <script type="module" src={scriptPath} />}
        </head>
        <body>
          <VisitProvider value={visit}>{body}</VisitProvider>
        </body>
      </html>
    )
  }`

const htmlOf = (visit: VisitData, place: Place, { body, live = [], title }: Shown): string => {
  const { submitted } = visit
  const shownAs = (seen: VisitData, unsent: Submitted | null) =>
    documentOf(seen, title, <Shell place={place} live={live} unsent={unsent}>{body}</Shell>)
  if (submitted === null || submitted.refused === null) return shownAs(visit, null)
  // Rendered once before, to learn which fields the refusal can be shown at.
  const first = renderToString(<VisitProvider value={visit}>{body}</VisitProvider>)
  const told = { ...submitted, problems: problemsOf(submitted.refused, [...submitted.fields.values()]) }
  // A form that the view does not show in its place: what was typed would be lost.
  const unsent = showsRefusal(first, submitted.form) ? null : told
  return openAround(shownAs({ ...visit, submitted: told }, unsent))
}

/** Renders a view. A notice is shown once, so its cookie goes. */
export const showView = (visit: VisitData, place: Place, shown: Shown) => {
  const { status = 200 } = shown
  const response = HttpServerResponse.text(htmlOf(visit, place, shown), {
    status,
    contentType: "text/html; charset=utf-8",
    headers: {
      "cache-control": "no-store",
      "content-security-policy": policy,
      "x-content-type-options": "nosniff",
      "referrer-policy": "same-origin",
      "cross-origin-opener-policy": "same-origin"
    }
  })
  return visit.notice === null
    ? response
    : HttpServerResponse.unsafeSetCookie(response, cookies.notice, "", {
      path: "/app",
      httpOnly: true,
      sameSite: "lax",
      maxAge: 0
    })
}
