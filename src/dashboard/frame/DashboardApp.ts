/** Serves the views and what their forms do. Both call operations through the application that serves REST. */
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Context, Effect, Option, Schema } from "effect"
import { Unauthorized } from "../../../schema/Errors.ts"
import { SignInProviders } from "../../external/oauth/SignInProvider.ts"
import type { Application } from "../../http/server/Application.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { Authenticate, type PersonInWorkspaces } from "../../operations/access/Authenticate.ts"
import { fromDashboard } from "../../operations/access/CallOrigin.ts"
import { CapturesMail, capturesMail } from "../../operations/mail/CapturesMail.ts"
import { goTo, requireSameOrigin } from "../Forms.ts"
import { installFiles } from "../install/InstallRoutes.ts"
import { answered } from "../outside/Reply.ts"
import { signedInMember } from "../SignedIn.ts"
import { chooseTheme } from "../ThemeCookie.ts"
import { views } from "../views/Views.ts"
import { asset, assetPath } from "./Assets.ts"
import { DashboardApi } from "./DashboardApi.ts"
import { LoadedText, makeChanges } from "./Edits.ts"
import { formBody, type Json } from "./FormBody.ts"
import { inForm } from "./FormProblems.ts"
import { leadingTo } from "./NoticeCookie.ts"
import { elsewhereOf, nextView, requireWorkspace } from "./OtherWorkspace.ts"
import { makePostAll } from "./PostAll.ts"
import { readVisit } from "./ReadVisit.ts"
import { InDashboard, makeShowAgain, Posted, postedForm, postedOperation, type ShowAgain, typedOf } from "./ShowAgain.ts"
import { showMarkdown } from "./ShowMarkdown.ts"
import { showElsewhere, showRefusal } from "./ShowRefusal.tsx"
import { showView } from "./ShowView.tsx"
import type { View } from "./View.ts"
import { submission, Undo, Visit } from "./Visit.ts"

export type DashboardNeeds = Authenticate | BaseUrl
type Posting<E> = (
  visitor: PersonInWorkspaces
) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, Served | DashboardNeeds>
type Served = HttpRouter.HttpRouter.Provided | HttpRouter.HttpRouter.DefaultServices

const shownTo = (visitor: PersonInWorkspaces, view: View, api: DashboardApi["Type"]) =>
  Effect.gen(function*() {
    const { params } = yield* HttpRouter.RouteContext
    const { notice, postedIn, submitted } = yield* Posted
    const read = yield* readVisit(visitor, { params, submitted, idempotencyKey: null, postedIn })
    const visit = notice === null ? read : { ...read, notice }
    // A link from a message names its workspace. A form that has just run there is shown as it was.
    const elsewhere = elsewhereOf(visit)
    if (postedIn === null && elsewhere !== null) {
      return yield* showElsewhere({ ...visit, workspace: elsewhere.current }, view, elsewhere.workspace)
    }
    return yield* view.read.pipe(
      Effect.flatMap((shown) => showView(visit, view.section, shown)),
      Effect.catchTag("Refused", (refused) => showRefusal(visit, view, refused, api)),
      Effect.provideService(Visit, visit),
      Effect.provideService(DashboardApi, api)
    )
  })

const Own = Schema.Struct({
  _form: Schema.String,
  _back: InDashboard,
  _then: Schema.optional(InDashboard),
  _said: Schema.optional(Schema.String),
  _undo: Schema.optional(Schema.String),
  /** A button that shows the answer in the form's view instead of leading elsewhere. */
  _stay: Schema.optional(Schema.String),
  /** The answer is saved as a file of this name. */
  _file: Schema.optional(Schema.String.pipe(Schema.pattern(/^[\w.-]+$/))),
  _key: Schema.optional(Schema.String),
  _loaded: Schema.optional(LoadedText)
})

const decodeUndo = Schema.decodeUnknownOption(Schema.parseJson(Undo))

/** `/app/monitors/{id}` with the answer's `id`. */
const filled = (template: string, answer: Json): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = answer !== null && typeof answer === "object" && !Array.isArray(answer)
      ? Object.entries(answer).find(([key]) => key === name)?.[1]
      : undefined
    return typeof value === "string" ? encodeURIComponent(value) : ""
  })

const isInDashboard = Schema.is(InDashboard)

const isJson = (_value: unknown): _value is Json => true

const makePost = (api: DashboardApi["Type"], again: ShowAgain) => {
  const changes = makeChanges(api)
  return (visitor: PersonInWorkspaces) =>
    Effect.gen(function*() {
      yield* requireSameOrigin
      const operation = yield* postedOperation
      const { fields, own, url } = yield* postedForm(Own, operation.largestBody)
      const visit = yield* readVisit(visitor, { params: {}, submitted: null, idempotencyKey: own._key ?? null })
      yield* requireWorkspace(visit, operation)
      const given = changes(formBody(fields), operation, own._loaded)
      const calling = Effect.flatMap(given, (arguments_) => api.send(operation.id, arguments_))
      const sent = yield* Effect.either(Effect.provideService(calling, Visit, visit))
      const submitted = submission({ form: own._form, action: url, typed: typedOf(fields) })
      // The session ended while the form was on its way.
      if (sent._tag === "Left" && sent.left.status === 401) return yield* new Unauthorized({ message: sent.left.message })
      if (sent._tag === "Left") return yield* again(own._back, { ...submitted, refused: inForm(sent.left, fields) })
      const answer: Json = isJson(sent.right) ? sent.right : null
      if (own._file !== undefined) {
        return HttpServerResponse.unsafeJson(answer, {
          headers: { "content-disposition": `attachment; filename="${own._file}"`, "cache-control": "no-store" }
        })
      }
      if (own._then === undefined || own._stay !== undefined) {
        return yield* again(own._back, { ...submitted, answer })
      }
      const undo = Option.getOrNull(decodeUndo(own._undo))
      return leadingTo(
        nextView(visit, operation, filled(own._then, answer)),
        own._said === undefined ? null : { said: own._said, undo }
      )
    })
}

const Carried = Schema.Struct({ _form: Schema.String, _back: InDashboard })

/** Shows another form with the values typed into one: a choice such as the kind of a monitor decides which fields there are. */
const makeCarry = (again: ShowAgain) => () =>
  Effect.gen(function*() {
    yield* requireSameOrigin
    const { fields, own, url } = yield* postedForm(Carried)
    return yield* again(own._back, submission({ form: own._form, action: url, typed: typedOf(fields), isCarried: true }))
  })

/** Opened by hand, reloaded or shared, the address of a form's answer leads to the view of the form. */
const backToView = Effect.map(HttpServerRequest.ParsedSearchParams, ({ _back }) => goTo(isInDashboard(_back) ? _back : "/app"))

/** The routes of the dashboard. Everything that they need from layers is given when they are built. */
export const makeDashboardRoutes = Effect.gen(function*() {
  // Only these: the context here holds all services of the program, and each step of a view, in every read, would copy them.
  const context = Context.make(Authenticate, yield* Authenticate).pipe(
    Context.add(BaseUrl, yield* BaseUrl),
    Context.add(CapturesMail, yield* capturesMail),
    Context.add(SignInProviders, yield* SignInProviders)
  )
  const served = <E>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, Served | DashboardNeeds>) =>
    answered(handler).pipe(
      fromDashboard,
      Effect.mapInputContext((input: Context.Context<Served>) => Context.merge(context, input))
    )

  return (app: Application) => {
    const api = DashboardApi.make(app)
    const routesFor = (method: "GET" | "POST") =>
      views.map((view) =>
        HttpRouter.makeRoute(method, view.path, served(signedInMember((visitor) => shownTo(visitor, view, api))))
      )
    // After a form, its view is shown in answer to the POST.
    const viewsApp = HttpRouter.toHttpApp(HttpRouter.fromIterable(routesFor("POST")))
    const posting = <E>(path: `/app/${string}`, handler: (again: ShowAgain) => Posting<E>) =>
      HttpRouter.makeRoute(
        "POST",
        path,
        served(Effect.flatMap(viewsApp, (shown) => signedInMember(handler(makeShowAgain(shown)))))
      )
    return [
      ...routesFor("GET"),
      HttpRouter.makeRoute("GET", `${assetPath}:name`, Effect.flatMap(HttpRouter.params, ({ name }) => asset(name ?? ""))),
      ...installFiles.map(([path, answer]) => HttpRouter.makeRoute("GET", path, answer)),
      posting("/app/do/:operation", (again) => makePost(api, again)),
      posting("/app/do-all/:operation", (again) => makePostAll(api, again)),
      posting("/app/show", makeCarry),
      HttpRouter.makeRoute("POST", "/app/markdown", served(signedInMember(() => showMarkdown))),
      HttpRouter.makeRoute("POST", "/app/theme", served(chooseTheme)),
      HttpRouter.makeRoute("GET", "/app/theme", Effect.succeed(goTo("/app"))),
      HttpRouter.makeRoute("GET", "/app/show", backToView),
      HttpRouter.makeRoute("GET", "/app/do/:operation", backToView),
      HttpRouter.makeRoute("GET", "/app/do-all/:operation", backToView)
    ]
  }
})
