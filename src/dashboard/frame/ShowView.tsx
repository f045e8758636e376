/** Renders a view in its frame, with a refused form where it stands. */
import { Effect } from "effect"
import type { ComponentChildren } from "preact"
import { renderToString } from "preact-render-to-string"
import { Head, type TabsProps } from "../design/Parts.tsx"
import { showsRefusal } from "../design/Refusal.tsx"
import { answerDocument, documentText } from "../Document.tsx"
import { scriptPath } from "./Assets.ts"
import { problemsOf } from "./FormProblems.ts"
import { withoutNotice } from "./NoticeCookie.ts"
import { type Section, settings } from "./Sections.ts"
import { Shell } from "./Shell.tsx"
import type { Shown } from "./View.ts"
import { type Submitted, type VisitData, VisitProvider } from "./Visit.ts"

const tags = /<details\b[^>]*>|<\/details>|<[a-z]+\b[^>]*\s(?:data-refusal|aria-invalid)(?=[\s=>])[^>]*>/g

/** The document with `open` on each `<details>` around a refusal or a refused field. */
const openAround = (html: string): string => {
  const within: Array<number> = []
  const opened = new Set<number>()
  for (const { 0: tag, index } of html.matchAll(tags)) {
    if (tag === "</details>") within.pop()
    else if (tag.startsWith("<details")) within.push(index)
    else for (const start of within) opened.add(start)
  }
  return html.replace(
    /<details\b[^>]*>/g,
    (tag, start: number) => opened.has(start) && !/\sopen(?=[\s=>])/.test(tag) ? tag.replace("<details", "<details open") : tag
  )
}

interface LaidProps {
  readonly as: "stack" | "split"
  readonly of: ReadonlyArray<ComponentChildren>
}

const Laid = ({ as, of }: LaidProps) => (
  <div class={as}>
    {of.map((part) => Array.isArray(part) ? <Laid as={as === "stack" ? "split" : "stack"} of={part} /> : part)}
  </div>
)

/** Leads from each view of the settings to the others. */
const settingsTabs = (section: Section): { readonly tabs?: TabsProps } => {
  const here = settings.find(([one]) => one === section)?.[1]
  return here === undefined
    ? {}
    : {
      tabs: {
        label: "Settings",
        close: true,
        here,
        of: settings.map(([, path, name, call]) => call === undefined ? [path, name] : [path, name, call])
      }
    }
}

const htmlOf = (visit: VisitData, section: Section, { body, head, live = [], split, stack, title }: Shown): string => {
  const { submitted } = visit
  const content = (
    <>
      {head === undefined ? null : <Head title={title} {...settingsTabs(section)} {...head} />}
      {body}
      {stack === undefined ? null : <Laid as="stack" of={stack} />}
      {split === undefined ? null : <Laid as="split" of={split} />}
    </>
  )
  const shownAs = (seen: VisitData, unsent: Submitted | null) =>
    documentText({
      title,
      language: seen.locale,
      theme: seen.theme,
      script: scriptPath,
      body: (
        <VisitProvider value={seen}>
          <Shell section={section} live={live} unsent={unsent}>{content}</Shell>
        </VisitProvider>
      )
    })
  if (submitted === null || submitted.refused === null) return shownAs(visit, null)
  // Rendered once before, to learn which fields the refusal can be shown at.
  const first = renderToString(<VisitProvider value={visit}>{content}</VisitProvider>)
  const explained = { ...submitted, problems: problemsOf(submitted.refused, [...submitted.fields.values()]) }
  // A form that the view does not show: its typed values would be lost.
  const unsent = showsRefusal(first, submitted.form) ? null : explained
  return openAround(shownAs({ ...visit, submitted: explained }, unsent))
}

/** Renders a view. A notice is shown once, so its cookie goes. */
export const showView = (visit: VisitData, section: Section, shown: Shown) =>
  Effect.map(
    answerDocument(htmlOf(visit, section, shown), shown.status ?? 200, [
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "manifest-src 'self'",
      "worker-src 'self'",
      "frame-src 'self'"
    ]),
    (response) => visit.notice === null ? response : withoutNotice(response)
  )
