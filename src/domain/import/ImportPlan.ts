/** Decides what an import does with each thing that it found, in the order in which one refers to another. */
import { Data } from "effect"
import type { ImportAction, ImportItem, ImportItemKind, ImportPreview, ImportSource } from "../../../schema/import/Import.ts"
import { mapInSteps, type Steps } from "../tools/Steps.ts"
import { closedUntilClaimed } from "../workspace/UnclaimedWorkspace.ts"
import { channelsNote } from "./AlertedChannels.ts"
import type {
  FoundChannel,
  FoundComponent,
  FoundIncident,
  FoundMonitor,
  FoundPage,
  FoundPolicy,
  FoundSchedule,
  FoundTemplate,
  Inventory
} from "./Inventory.ts"
import { lostParticipant, lostTarget } from "./OnCallTargets.ts"

export type Making = Data.TaggedEnum<{
  Channel: { readonly found: FoundChannel }
  Monitor: { readonly found: FoundMonitor }
  Page: { readonly found: FoundPage }
  Component: { readonly found: FoundComponent; readonly pageRef: string }
  Incident: { readonly found: FoundIncident }
  Schedule: { readonly found: FoundSchedule }
  Policy: { readonly found: FoundPolicy }
  Template: { readonly found: FoundTemplate }
}>
export const Making = Data.taggedEnum<Making>()

export interface ImportStep extends Omit<ImportItem, "notes"> {
  readonly notes: ReadonlyArray<string>
  readonly excluded: boolean
  readonly making: Making
}

/** The caller's choices, and the results of earlier imports. */
interface ImportChoice {
  readonly monitors: boolean
  readonly channels: boolean
  readonly pages: boolean
  readonly incidents: boolean
  readonly exclude: ReadonlySet<string>
  /** The ids of what exists, by ref. */
  readonly made: ReadonlyMap<string, string>
  /** True if an existing page receives the components. */
  readonly intoPage: boolean
  readonly hasDefaultChannel: boolean
  /** True if a human has claimed the workspace; until then it takes no email channels. */
  readonly claimed: boolean
  /** The addresses of the members, in lower case, and why the plan has no on-call; null if it has. By default nobody and null. */
  readonly members?: ReadonlySet<string>
  readonly onCallRefusal?: string | null
}

export interface ImportPlan {
  readonly steps: ReadonlyArray<ImportStep>
  readonly warnings: ReadonlyArray<string>
}

const kinds = {
  Channel: "channel",
  Monitor: "monitor",
  Page: "page",
  Component: "component",
  Schedule: "schedule",
  Policy: "policy",
  Template: "template"
} as const satisfies Record<Exclude<Making["_tag"], "Incident">, ImportItemKind>

/** True if our inputs can express it. */
const isCarried = (making: Making): boolean => !("input" in making.found) || making.found.input !== null

/** True if the workspace refuses the channel until a human has claimed it. */
const isClosed = ({ input }: FoundChannel, claimed: boolean): boolean => !claimed && input?.type === "email"

/** True if a component would show something that nobody observes: it would be operational forever. */
const losesItsMonitors = (making: Making, monitors: ReadonlySet<string> | null): boolean =>
  monitors !== null && making._tag === "Component" && making.found.monitorRefs.length > 0 &&
  !making.found.monitorRefs.some((ref) => monitors.has(ref))

/** True if none of the pages that it is shown on is there, so that it has no place. */
const losesItsPage = (making: Making, pages: ReadonlySet<string> | null): boolean =>
  pages !== null &&
  (making._tag === "Component"
    ? !pages.has(making.pageRef)
    : making._tag === "Incident" && !making.found.pageRefs.some((ref) => pages.has(ref)))

/** The state after the import, as far as items of it depend on it. */
interface After {
  /** The refs of monitors; null if the caller wants components without them. */
  readonly monitors: ReadonlySet<string> | null
  /** The refs of pages; null if an existing page receives what is shown. */
  readonly pages: ReadonlySet<string> | null
  readonly channels: ReadonlySet<string>
  readonly schedules: ReadonlySet<string>
  readonly members: ReadonlySet<string>
  readonly onCallRefusal: string | null
  readonly hasDefaultChannel: boolean
}

/** Why a schedule or policy could page nobody, or not everybody that it should. */
const onCallRefusal = (making: Making, after: After): string | null =>
  making._tag === "Schedule"
    ? after.onCallRefusal ?? lostParticipant(making.found.entry, after)
    : making._tag === "Policy"
    ? after.onCallRefusal ?? lostTarget(making.found.entry, after)
    : null

/** Why a step that our inputs can express creates nothing; null if it creates something. */
const refusalOf = (making: Making, claimed: boolean, after: After): string | null => {
  const onCall = onCallRefusal(making, after)
  return losesItsMonitors(making, after.monitors)
    ? "The monitor that it shows is not carried"
    : losesItsPage(making, after.pages)
    ? "Its page is not carried"
    : onCall !== null
    ? onCall
    : making._tag === "Channel" && isClosed(making.found, claimed)
    ? closedUntilClaimed("Email channels").message
    : null
}

const alertingNotes = (making: Making, { channels, hasDefaultChannel }: After): ReadonlyArray<string> => {
  if (making._tag !== "Monitor") return []
  const note = channelsNote(making.found.channelRefs, (ref) => channels.has(ref), hasDefaultChannel)
  return note === null ? [] : [note]
}

const stepOf = ({ claimed, exclude, made }: ImportChoice, after: After) => (making: Making): ImportStep => {
  const { name, notes, ref } = making.found
  const refusal = refusalOf(making, claimed, after)
  const action: ImportAction = made.has(ref) ? "exists" : isCarried(making) && refusal === null ? "create" : "unsupported"
  const alerting = action === "create" ? alertingNotes(making, after) : []
  return {
    ref,
    name,
    notes: refusal === null ? [...notes, ...alerting] : [...notes, refusal],
    kind: making._tag === "Incident" ? making.found.kind : kinds[making._tag],
    action,
    excluded: exclude.has(ref),
    making
  }
}

/** The refs of what there is after the import of these things. */
const refsAfter = (
  things: ReadonlyArray<{ readonly ref: string; readonly input?: unknown }>,
  { exclude, made }: ImportChoice
): ReadonlySet<string> =>
  new Set([...made.keys(), ...things.flatMap(({ input, ref }) => (input === null || exclude.has(ref) ? [] : [ref]))])

const afterImport = (inventory: Inventory, choice: ImportChoice): After => {
  const { claimed, exclude, members = new Set<string>(), onCallRefusal: refusal = null } = choice
  const channels = choice.channels ? inventory.channels.filter((found) => !isClosed(found, claimed)) : []
  const isDefault = ({ input, ref }: FoundChannel) => input !== null && !exclude.has(ref) && input.isDefault !== false
  const before = {
    monitors: choice.monitors ? refsAfter(inventory.monitors, choice) : null,
    pages: choice.intoPage ? null : refsAfter(choice.pages ? inventory.pages : [], choice),
    channels: refsAfter(channels, choice),
    schedules: new Set<string>(),
    members,
    onCallRefusal: refusal,
    hasDefaultChannel: choice.hasDefaultChannel || channels.some(isDefault)
  }
  const schedules = choice.channels ? inventory.schedules.filter(({ entry }) => lostParticipant(entry, before) === null) : []
  return { ...before, schedules: refsAfter(schedules, choice) }
}

/** The refs of components whose status an open incident or a running window of this import shows until it ends. */
const shownByIncidents = ({ incidents }: Inventory, choice: ImportChoice): ReadonlySet<string> => {
  const goesOn = ({ ref, resolvedAt, status }: FoundIncident): boolean =>
    choice.incidents && resolvedAt === null && status !== "scheduled" && !choice.exclude.has(ref) && !choice.made.has(ref)
  const shown = incidents.filter(goesOn).flatMap(({ components }) => components)
  return new Set(shown.filter(({ status }) => status !== "operational").map(({ ref }) => ref))
}

/** A status that an incident shows is not set on the component as well: it would stay when the incident ends. */
const pageMakings = (choice: ImportChoice, shown: ReadonlySet<string>) => (page: FoundPage): ReadonlyArray<Making> => [
  ...(choice.intoPage ? [] : [Making.Page({ found: page })]),
  ...page.components.map((found) =>
    Making.Component({ found: shown.has(found.ref) ? { ...found, status: null } : found, pageRef: page.ref })
  )
]

/** A ref that comes twice is one thing: the first, which comes after what it is made of. */
const once = (makings: ReadonlyArray<Making>): ReadonlyArray<Making> => {
  const first = new Map<string, Making>()
  for (const making of makings) if (!first.has(making.found.ref)) first.set(making.found.ref, making)
  return [...first.values()]
}

/** Things of one import, over all kinds. */
export const mostThings = 20_000

/** Steps planned in one step: about 2 ms. */
const perStep = 500

export function* planImport(inventory: Inventory, choice: ImportChoice): Steps<ImportPlan> {
  const makings = [
    ...(choice.channels ? inventory.channels.map((found) => Making.Channel({ found })) : []),
    ...(choice.channels ? inventory.schedules.map((found) => Making.Schedule({ found })) : []),
    ...(choice.monitors ? inventory.monitors.map((found) => Making.Monitor({ found })) : []),
    ...(choice.pages ? inventory.pages.flatMap(pageMakings(choice, shownByIncidents(inventory, choice))) : []),
    ...(choice.channels ? inventory.policies.map((found) => Making.Policy({ found })) : []),
    ...(choice.incidents ? inventory.templates.map((found) => Making.Template({ found })) : []),
    ...(choice.incidents ? inventory.incidents.map((found) => Making.Incident({ found })) : [])
  ]
  const steps = yield* mapInSteps(once(makings), perStep, stepOf(choice, afterImport(inventory, choice)))
  return { steps, warnings: inventory.warnings }
}

const itemOf = ({ action, kind, name, notes, ref }: ImportStep): ImportItem => ({
  ref,
  kind,
  name,
  action,
  ...(notes.length === 0 ? {} : { notes })
})

export const previewOf = (source: ImportSource, { steps, warnings }: ImportPlan): ImportPreview => {
  const of = (...kinds: ReadonlyArray<ImportItemKind>) =>
    steps.filter(({ excluded, kind }) => !excluded && kinds.includes(kind)).map(itemOf)
  return {
    source,
    monitors: of("monitor"),
    channels: of("channel"),
    pages: of("page", "component"),
    incidents: of("incident", "maintenance", "template"),
    onCall: of("schedule", "policy"),
    warnings
  }
}
