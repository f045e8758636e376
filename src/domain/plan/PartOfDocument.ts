/** The part of a document that a caller looks for: an agent that changes one thing need not read all others. */
import type { WorkspaceDocument } from "../../../schema/plan/WorkspaceDocument.ts"

interface Entry {
  readonly key: string
  readonly name: string
}

/** The entries with the text in their key or name. Sections without any are absent, so that nothing takes them for empty. */
export const partOf = (document: WorkspaceDocument, search: string): WorkspaceDocument => {
  const wanted = search.toLowerCase()
  const found = <E extends Entry>(entries: ReadonlyArray<E> = []) =>
    entries.filter(({ key, name }) => key.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted))
  const sections = {
    channels: found(document.channels),
    schedules: found(document.schedules),
    monitors: found(document.monitors),
    pages: found(document.pages),
    policies: found(document.policies),
    templates: found(document.templates)
  } satisfies Omit<Required<WorkspaceDocument>, "version">
  return { version: 1, ...Object.fromEntries(Object.entries(sections).filter(([, entries]) => entries.length > 0)) }
}
