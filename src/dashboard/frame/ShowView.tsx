/** Renders a view in its frame, with a refused form where it stands. */
import { HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { renderToString } from "preact-render-to-string"
import { showsRefusal } from "../design/Refusal.tsx"
import { answerDocument, documentText } from "../Document.tsx"
import { scriptPath } from "./Assets.ts"
import { problemsOf } from "./FormProblems.ts"
import { openAround } from "./OpenAround.ts"
import { cookies } from "./ReadVisit.ts"
import { Shell } from "./Shell.tsx"
import type { Place, Shown } from "./View.ts"
import { type Submitted, type VisitData, VisitProvider } from "./Visit.ts"

const htmlOf = (visit: VisitData, place: Place, { body, live = [], title }: Shown): string => {
  const { submitted } = visit
  const shownAs = (seen: VisitData, unsent: Submitted | null) =>
    documentText({
      title,
      language: seen.locale,
      theme: seen.theme,
      script: scriptPath,
      body: (
        <VisitProvider value={seen}>
          <Shell place={place} live={live} unsent={unsent}>{body}</Shell>
        </VisitProvider>
      )
    })
  if (submitted === null || submitted.refused === null) return shownAs(visit, null)
  // Rendered once before, to learn which fields the refusal can be shown at.
  const first = renderToString(<VisitProvider value={visit}>{body}</VisitProvider>)
  const told = { ...submitted, problems: problemsOf(submitted.refused, [...submitted.fields.values()]) }
  // A form that the view does not show: its typed values would be lost.
  const unsent = showsRefusal(first, submitted.form) ? null : told
  return openAround(shownAs({ ...visit, submitted: told }, unsent))
}

const sources = ["script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'", "frame-src 'self'"]

/** Renders a view. A notice is shown once, so its cookie goes. */
export const showView = (visit: VisitData, place: Place, shown: Shown) =>
  Effect.map(answerDocument(htmlOf(visit, place, shown), shown.status ?? 200, sources), (response) =>
    visit.notice === null
      ? response
      : HttpServerResponse.unsafeSetCookie(response, cookies.notice, "", {
        path: "/app",
        httpOnly: true,
        sameSite: "lax",
        maxAge: 0
      }))
