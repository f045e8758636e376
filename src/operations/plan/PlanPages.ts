/** Compares the status pages of a document with those of the workspace. */
import { Effect, Struct } from "effect"
import { PageId } from "../../../schema/Ids.ts"
import { mask } from "../../../schema/Mask.ts"
import type { PageUpdate } from "../../../schema/page/Page.ts"
import type { PageEntry, WorkspaceDocument } from "../../../schema/plan/WorkspaceDocument.ts"
import { pageChanges } from "../../domain/page/PageChanges.ts"
import {
  textOrNull,
  withBrandingDefaults,
  withSeoDefaults,
  withSettingsDefaults,
  withThemeDefaults
} from "../../domain/page/PageDefaults.ts"
import { storedTheme } from "../../domain/page/PageEdit.ts"
import { pageRefusals, publicPassword } from "../../domain/page/PageRefusals.ts"
import { slugOf } from "../../domain/page/Slug.ts"
import { dependencyOrder } from "../../domain/plan/DependencyOrder.ts"
import { sameValue } from "../../domain/plan/FieldChanges.ts"
import { groupEntry, groupsInput, pageFields, type PageSettled } from "../../domain/plan/ThingFields.ts"
import type { Refusal } from "../../domain/Refusal.ts"
import { PagePasswords } from "../../store/page/PagePasswords.ts"
import { ChangePage } from "../page/ChangePage.ts"
import { ManagePages } from "../page/ManagePages.ts"
import { currentGroups, currentPage, shownPassword } from "./CurrentFields.ts"
import type { Findings } from "./Findings.ts"
import type { WorkspaceState } from "./LoadWorkspace.ts"
import { type Made, type Step, type StepFailure, stepOf } from "./Step.ts"

const unknownPassword: Refusal = {
  path: "password",
  message: "A document shows no passwords, and this page has none that could stay. Write the password, or omit it"
}

/** The new password of a page: kept if the entry does not name one. `matches`: the page already has the one that it names. */
const passwordOf = ({ password }: PageEntry, had: string | null, matches: boolean) =>
  password === undefined || password === mask || (password !== null && matches)
    ? { wanted: had, change: {} }
    : { wanted: password, change: { password } }

/** The fields that only one page can have. */
const addressesOf = ({ customDomain, slug }: Pick<PageSettled, "customDomain" | "slug">): ReadonlyArray<string> => [
  `slug ${slug}`,
  ...(customDomain === null ? [] : [`domain ${customDomain}`])
]

/** The update by which a page gives up the slug and the domain that it changes. Nobody else has its new slug. */
const givenUp = (id: string, { customDomain, slug }: PageUpdate): PageUpdate => ({
  ...(slug === undefined ? {} : { slug: id.replace("pg_", "") }),
  ...(customDomain === undefined ? {} : { customDomain: null })
})

/** The page that an entry means: what it omits has its default, except the slug and the password. */
const wantedOf = (
  entry: PageEntry,
  current: Omit<PageSettled, "password"> | null,
  timezone: string
): Omit<PageSettled, "password"> => ({
  name: entry.name,
  slug: entry.slug ?? current?.slug ?? slugOf(entry.name),
  description: textOrNull(entry.description ?? null),
  customDomain: entry.customDomain ?? null,
  visibility: entry.visibility ?? "public",
  theme: withThemeDefaults(storedTheme(entry.theme ?? {})),
  branding: withBrandingDefaults(entry.branding ?? {}),
  settings: withSettingsDefaults(entry.settings ?? {}, timezone),
  seo: withSeoDefaults(entry.seo ?? {})
})

interface PageStep {
  readonly key: string
  readonly wants: ReadonlyArray<string>
  /** Lets other pages take the slug and the domain that this one changes. */
  readonly giveUp: Effect.Effect<unknown, StepFailure>
  readonly step: Step
}

/** A page takes the slug or the domain of another one after that has given it up. `holders` are the pages by what they have now. */
const inOrder = (steps: ReadonlyArray<PageStep>, holders: ReadonlyMap<string, string>): ReadonlyArray<Step> => {
  const { circular, ordered } = dependencyOrder(steps.map((one) => ({
    ...one,
    dependsOn: one.wants.flatMap((address) => holders.get(address) ?? []).filter((holder) => holder !== one.key)
  })))
  const [first, ...others] = circular
  if (first === undefined) return ordered.map(({ step }) => step)
  // Pages that swap them all give theirs up before the first takes its own.
  const swapped = {
    ...first.step,
    perform: (made: Made) => Effect.zipRight(Effect.forEach(circular, ({ giveUp }) => giveUp), first.step.perform(made))
  }
  return [...ordered.map(({ step }) => step), swapped, ...others.map(({ step }) => step)]
}

export const makePlanPages = Effect.gen(function*() {
  const manage = yield* ManagePages
  const change = yield* ChangePage
  const passwords = yield* PagePasswords

  const isPassword = (id: string | null, password: PageEntry["password"]) =>
    id === null || password === undefined || password === null || password === mask
      ? Effect.succeed(false)
      : passwords.matches(PageId.make(id), password)

  return Effect.fn("PlanPages")(function*(state: WorkspaceState, document: WorkspaceDocument, findings: Findings) {
    const { workspaceId } = state
    const viewer = { workspaceId, scopes: ["write" as const], operations: null }
    const steps: Array<PageStep> = []
    const holders = new Map<string, string>()
    for (const [index, entry] of (document.pages ?? []).entries()) {
      const id = state.keys.page.idOf.get(entry.key) ?? null
      const current = id === null ? null : state.pages.get(id) ?? null
      const hadPassword = current === null ? null : shownPassword(current)
      const wanted = wantedOf(entry, current, state.timezone)
      const password = passwordOf(entry, hadPassword, hadPassword !== null && (yield* isPassword(id, entry.password)))
      findings.refuse(`pages.${index}`, [
        ...pageRefusals(entry),
        ...(entry.password === mask && hadPassword === null ? [unknownPassword] : []),
        ...(password.wanted !== null && wanted.visibility === "public" ? [publicPassword] : [])
      ])
      const had = id === null ? [] : currentGroups(state, id)
      const groups = entry.groups === undefined ? had : entry.groups.map(groupEntry)
      const setGroups = (pageId: string) =>
        sameValue(groups, had) ? Effect.void : change.setGroups(viewer, pageId, groupsInput(groups))
      if (current !== null) addressesOf(current).forEach((address) => holders.set(address, entry.key))
      const step = stepOf({
        kind: "page",
        key: entry.key,
        id,
        name: entry.name,
        from: current === null ? null : currentPage(state, current),
        to: pageFields({ ...wanted, password: password.wanted }, groups),
        hidden: new Set(["password"]),
        create: () =>
          Effect.tap(manage.create(workspaceId, Struct.omit(entry, "key", "groups", "components")), (page) => setGroups(page.id)),
        update: () =>
          current === null
            ? Effect.void
            : Effect.zipRight(
              change.update(viewer, current.id, { ...pageChanges(current, wanted), ...password.change }),
              setGroups(current.id)
            )
      })
      const giveUp = current === null
        ? Effect.void
        : change.update(viewer, current.id, givenUp(current.id, pageChanges(current, wanted)))
      steps.push({ key: entry.key, wants: addressesOf(wanted), giveUp, step })
    }
    return inOrder(steps, holders)
  })
})
