/** Shows why a view cannot be shown, or in which workspace it can. */
import { Effect, Option } from "effect"
import type { MyWorkspace } from "../../../schema/people/Person.ts"
import { isolated } from "../../domain/tools/text/Direction.ts"
import { nextStep } from "../design/Refusal.tsx"
import { DashboardApi } from "./DashboardApi.ts"
import type { Refused } from "./Refused.ts"
import { navigation, type Section, settings } from "./Sections.ts"
import { showView } from "./ShowView.tsx"
import { SwitchTo } from "./SwitchTo.tsx"
import type { View } from "./View.ts"
import { Visit, type VisitData } from "./Visit.ts"

const titles: Readonly<Record<number, string>> = { 403: "Not allowed", 404: "Not found", 429: "Please wait" }

/** The list that the view belongs to. */
const ListOf = ({ section }: { readonly section: Section }) => {
  const all = [
    ...navigation.flatMap<readonly [section: Section, path: string, name: string]>(([, entries]) => entries),
    ...settings
  ]
  const entry = all.find(([one]) => one === section)
  return entry === undefined || section === "overview" ? null : <a class="button" href={entry[1]}>Go to {entry[2]}</a>
}

/** Leads to a view of another workspace than the session's: the links of a view do not name its workspace. */
export const showElsewhere = (visit: VisitData, { section }: View, { id, name }: MyWorkspace) =>
  showView({ ...visit, calls: [], notice: visit.notice === null ? null : { said: visit.notice.said, undo: null } }, section, {
    title: "In another workspace",
    head: { title: `This is in ${name}`, note: `You are looking at another workspace. Switch to ${isolated(name)} to see it.` },
    body: <SwitchTo id={id} next={visit.url}>Switch to {name}</SwitchTo>
  })

/** The person's other workspaces that a link can lead to, at most this many. */
const maxOthers = 20

/** A refusal as a view. Most links in messages do not name their workspace, so a missing record may be in another one. */
export const showRefusal = (visit: VisitData, view: View, refused: Refused, api: DashboardApi["Type"]) =>
  Effect.gen(function*() {
    const { section, read } = view
    const others = refused.status === 404
      ? visit.workspaces.filter(({ id }) => id !== visit.workspace?.id).slice(0, maxOthers)
      : []
    for (const workspace of others) {
      const caller = { ...visit.caller, headers: { ...visit.caller.headers, "x-workspace": workspace.id } }
      const found = yield* Effect.option(
        read.pipe(
          Effect.provideService(Visit, { ...visit, workspace, caller, calls: [] }),
          Effect.provideService(DashboardApi, api)
        )
      )
      if (Option.isSome(found)) return yield* showElsewhere(visit, view, workspace)
    }
    const next = nextStep(refused)
    return yield* showView({ ...visit, calls: [] }, section, {
      title: "Error",
      status: refused.status,
      head: {
        title: titles[refused.status] ?? "That did not work",
        // A refused form is shown above, with its own problems.
        ...((visit.submitted?.refused ?? null) === null ? { note: refused.message.replace(/\.?$/, ".") } : {})
      },
      body: (
        <>
          {next === null ? null : <p>{next}</p>}
          <p class="buttons">
            <ListOf section={section} />
            <a class="button plain" href="/app">Go to the overview</a>
          </p>
        </>
      )
    })
  })
