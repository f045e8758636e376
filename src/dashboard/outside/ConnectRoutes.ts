/** The pages for connecting an app over OAuth: it sends its person here, who decides, and returns to it. */
import { HttpServerRequest } from "@effect/platform"
import { Effect, Option, Schema } from "effect"
import { name, optional, text } from "../../../schema/Fields.ts"
import type { MyWorkspace } from "../../../schema/people/Person.ts"
import type { PersonIdentity } from "../../../schema/people/PersonIdentity.ts"
import { scopesOf } from "../../domain/access/Roles.ts"
import { formTarget, redirectHost } from "../../domain/oauth/RedirectUri.ts"
import { operationsOf, toolGroups } from "../../domain/oauth/ToolGroups.ts"
import { currentPerson } from "../../http/guard/CurrentPerson.ts"
import { oauthPaths } from "../../http/oauth/OAuthMetadata.ts"
import { operations } from "../../http/openapi/Operations.ts"
import { makeApplicantOf } from "../../http/request/Applicant.ts"
import { clientAddress } from "../../http/request/ClientAddress.ts"
import { AskForAccess } from "../../operations/oauth/AskForAccess.ts"
import { ClaimWorkspace } from "../../operations/people/ClaimWorkspace.ts"
import { PersonWorkspaces } from "../../operations/people/PersonWorkspaces.ts"
import { form, goTo, postedText } from "../Forms.ts"
import { signedIn } from "../SignedIn.ts"
import { type AskingApp, CannotConnectPage, ConnectPage, FirstWorkspacePage, SignInToConnectPage } from "./ConnectPages.tsx"
import { show } from "./Frame.tsx"
import { pages, param } from "./PageRouter.ts"
import { orDeadLink } from "./Reply.ts"
import { typed, waysIn } from "./SignInRoutes.ts"

const pathOf = (id: string): string => `/connect/${encodeURIComponent(id)}`

const asValues = (value: string | ReadonlyArray<string>): ReadonlyArray<string> => typeof value === "string" ? [value] : value

/** Where apps send people to. What is asked for gets an address here, which survives a sign-in by email. */
const authorize = Effect.gen(function*() {
  const request = yield* HttpServerRequest.HttpServerRequest
  const query = yield* HttpServerRequest.ParsedSearchParams
  const parameters = new Map(Object.entries(query).map(([key, value]) => [key, asValues(value)] as const))
  const { begin } = yield* AskForAccess
  const beginning = yield* begin(parameters, clientAddress(request))
  if (beginning._tag === "Ask") return goTo(pathOf(beginning.id))
  if (beginning._tag === "Return") return goTo(beginning.url)
  return yield* show({ title: "This app cannot connect", status: 400, body: CannotConnectPage(beginning) })
})

const look = (id: string) => Effect.flatMap(AskForAccess, (access) => access.look(id))

const chosenTools = Effect.map(postedText(), (posted) => new URLSearchParams(posted).getAll("tools"))

/** The choices in a form that is refused. */
const typedChoice = Effect.map(
  Effect.all({ workspace: typed("workspace"), access: typed("access"), tools: chosenTools }),
  ({ access, ...chosen }) => ({ ...chosen, writes: access === "write" })
)

const mayWrite = ({ role }: MyWorkspace): boolean => scopesOf(role).includes("write")

const asChoice = (workspace: MyWorkspace) => ({ id: workspace.id, name: workspace.name, writes: mayWrite(workspace) })

/** The page for a person who is signed in; without a workspace, they make or claim one first. */
const decisionPage = Effect.fn("ConnectRoutes.decisionPage")(
  function*(
    app: AskingApp,
    redirectUri: string,
    scopes: ReadonlyArray<"read" | "write">,
    person: PersonIdentity,
    wrong?: string
  ) {
    const workspaces = yield* Effect.flatMap(PersonWorkspaces, ({ list }) => list(person))
    const { delegable } = yield* AskForAccess
    const { email } = person.user
    const groups = toolGroups(operations, delegable)
    const usual = {
      workspace: workspaces.find(({ current }, _, { length }) => current || length === 1)?.id,
      writes: scopes.includes("write") && workspaces.some(mayWrite),
      tools: groups
    }
    const chosen = wrong === undefined ? usual : yield* typedChoice
    const body = workspaces.length === 0
      ? FirstWorkspacePage({ app, email, wrong })
      : ConnectPage({ app, email, wrong, workspaces: workspaces.map(asChoice), groups, chosen })
    const status = wrong === undefined ? 200 : 422
    return yield* show({ title: `Connect ${app.name}`, status, body, formTargets: [formTarget(redirectUri)] })
  }
)

const connectPage = Effect.fn("ConnectRoutes.connectPage")(function*(wrong?: string) {
  const id = yield* param("id")
  const { clientId, clientName, hasDocument, redirectUri, scopes } = yield* look(id)
  const app = { id, name: clientName, host: redirectHost(redirectUri), document: hasDocument ? clientId : null }
  const person = yield* currentPerson
  if (Option.isSome(person)) return yield* decisionPage(app, redirectUri, scopes, person.value, wrong)
  return yield* show({
    title: `Connect ${app.name}`,
    body: SignInToConnectPage({ app, ways: yield* waysIn(pathOf(id), wrong) })
  })
})

const Decision = Schema.Struct({
  decision: Schema.Literal("allow", "decline"),
  workspace: optional(text(100)),
  access: optional(Schema.Literal("read", "write"))
})

const decide = Effect.gen(function*() {
  const { access: level = "read", decision, workspace } = yield* form(Decision)
  const tools = yield* chosenTools
  const id = yield* param("id")
  const access = yield* AskForAccess
  return yield* signedIn((person) =>
    Effect.gen(function*() {
      if (decision === "decline") return goTo(yield* access.decline(id))
      const workspaces = yield* Effect.flatMap(PersonWorkspaces, ({ list }) => list(person))
      const chosen = workspaces.find((one) => one.id === workspace)
      if (chosen === undefined) return yield* connectPage("Choose a workspace.")
      if (tools.length === 0) return yield* connectPage("Choose at least one group of tools.")
      return goTo(
        yield* access.allow(person, id, {
          workspaceId: chosen.id,
          scopes: level === "write" ? scopesOf(chosen.role) : ["read"],
          operations: operationsOf(tools, operations, access.delegable)
        })
      )
    })
  )
}).pipe(Effect.catchTag("validation_failed", ({ message }) => connectPage(`${message}.`)))

const NewWorkspace = Schema.Struct({ name: optional(name(80)), claim: optional(text(500)) })

/** The token of a claim link, or one that was copied without the rest. */
const claimToken = (given: string): string => /\/claim\/([^/?#\s]+)/.exec(given)?.[1] ?? given

const makeWorkspace = Effect.gen(function*() {
  const { claim, name: given } = yield* form(NewWorkspace)
  const id = yield* param("id")
  yield* look(id)
  const claims = yield* ClaimWorkspace
  const { create } = yield* PersonWorkspaces
  const applicantOf = yield* makeApplicantOf
  const applicant = applicantOf(yield* HttpServerRequest.HttpServerRequest)
  return yield* signedIn((person) =>
    Effect.gen(function*() {
      if (claim !== undefined) yield* claims.claim(person, claimToken(claim))
      else if (given !== undefined) yield* create(person, { name: given }, applicant)
      else return yield* connectPage("Enter a name for the workspace, or a claim link.")
      return goTo(pathOf(id))
    })
  )
}).pipe(Effect.catchTag("validation_failed", () => connectPage("Enter a name for the workspace, or a claim link.")))

export const layer = pages((router) =>
  Effect.gen(function*() {
    const orDead = orDeadLink(["/app", "Go to your workspaces"])
    yield* router.get(oauthPaths.authorize, authorize)
    yield* router.get("/connect/:id", orDead(connectPage()))
    yield* router.post("/connect/:id", orDead(decide))
    yield* router.post("/connect/:id/workspace", orDead(makeWorkspace), "/connect/:id")
  })
)
