/** Reads a request for a view: its person, workspace, zone, language and last notice. */
import { HttpServerRequest } from "@effect/platform"
import { DateTime, Effect, Option } from "effect"
import { randomUUID } from "node:crypto"
import type { MyWorkspace } from "../../../schema/people/Person.ts"
import type { PersonIdentity } from "../../../schema/people/PersonIdentity.ts"
import { regionalLocale } from "../../domain/page/Languages.ts"
import { Ai } from "../../external/ai/AiProvider.ts"
import { clientHeaders } from "../../http/request/Applicant.ts"
import type { Caller } from "../../http/server/InProcessCall.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { memberCaller, type PersonInWorkspaces } from "../../operations/access/Authenticate.ts"
import { CapturesMail } from "../../operations/mail/CapturesMail.ts"
import { themeOf } from "../ThemeCookie.ts"
import { noticeIn } from "./NoticeCookie.ts"
import type { Submitted, VisitData } from "./Visit.ts"

const forwarded = ["cookie", ...clientHeaders]

/** Calls of the dashboard are its own; it has checked the origin of forms itself. */
const callerOf = (
  { headers, remoteAddress }: HttpServerRequest.HttpServerRequest,
  person: PersonIdentity,
  workspace: MyWorkspace | null,
  idempotencyKey: string | null
): Caller => ({
  surface: "dashboard",
  headers: {
    ...Object.fromEntries(Object.entries(headers).filter(([name]) => forwarded.includes(name))),
    "sec-fetch-site": "same-origin",
    ...(workspace === null ? {} : { "x-workspace": workspace.id })
  },
  remoteAddress: Option.getOrUndefined(remoteAddress),
  ...(workspace === null ? {} : { identity: memberCaller(person, workspace) }),
  ...(idempotencyKey === null ? {} : { idempotencyKey })
})

const isZone = (name: string): boolean => Option.isSome(DateTime.zoneMakeNamed(name))

const zoneOf = (given = ""): string => (given !== "" && isZone(given) ? given : "UTC")

interface VisitOptions {
  readonly params: Readonly<Record<string, string | undefined>>
  readonly submitted: Submitted | null
  readonly idempotencyKey: string | null
  /** The workspace of the form that the view is shown for, if that is not in the view's address. */
  readonly postedIn?: string | null
}

/** The visit of a request. `?workspace=` chooses one of the person's workspaces; otherwise it is the session's. */
export const readVisit = Effect.fn("ReadVisit.read")(function*(
  { person, workspaces }: PersonInWorkspaces,
  { idempotencyKey, params, postedIn = null, submitted }: VisitOptions
) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const baseUrl = yield* BaseUrl
  const url = new URL(request.url, baseUrl)
  const asked = postedIn ?? url.searchParams.get("workspace")
  const workspace = workspaces.find(({ id }) => id === asked) ?? workspaces.find(({ current }) => current) ?? null
  return {
    person,
    workspace,
    workspaces,
    caller: callerOf(request, person, workspace, idempotencyKey),
    baseUrl,
    hasAi: (yield* Ai) !== null,
    url: `${url.pathname}${url.search}`,
    params,
    query: url.searchParams,
    zone: zoneOf(request.cookies["belltower_zone"]),
    locale: regionalLocale("en", request.headers["accept-language"]),
    theme: themeOf(request),
    now: yield* DateTime.now,
    submitted,
    formKey: `form-${randomUUID()}`,
    notice: noticeIn(request.cookies),
    capturesMail: yield* yield* CapturesMail,
    calls: []
  } satisfies VisitData
})
