/** The navigation of every view: workspaces, views, and the account. */
import { renderToString } from "preact-render-to-string"
import { Icon } from "../design/Icons.tsx"
import { inWords } from "../design/Parts.tsx"
import { themes } from "../Theme.ts"
import { isSettings, navigation, type Section, settings } from "./Sections.ts"
import { SwitchTo } from "./SwitchTo.tsx"
import { useVisit } from "./Visit.ts"

const ThemeSwitch = () => {
  const { theme, url } = useVisit()
  return (
    <form method="post" action="/app/theme" data-themes>
      <input type="hidden" name="next" value={url} />
      <div class="themes" role="group" aria-label="Theme">
        {themes.map((name) => (
          <button class="plain tight" name="theme" value={name} aria-pressed={name === theme}>{inWords(name)}</button>
        ))}
      </div>
    </form>
  )
}

/** The settings are one entry, which leads to the first of them. */
const Settings = ({ section }: { readonly section: Section }) => {
  const [[first, path]] = settings
  return (
    <a href={path} aria-current={section === first ? "page" : isSettings(section) ? "true" : undefined}>
      <Icon name="settings" />
      Settings
    </a>
  )
}

const Entries = ({ section }: { readonly section: Section }) => (
  <>
    {navigation.map(([heading, entries]) => (
      <>
        {heading === null ? null : <h2>{heading}</h2>}
        <ul>
          {entries.map(([entry, path, name]) => (
            <li>
              <a href={path} aria-current={entry === section ? "page" : undefined}>
                <Icon name={entry} />
                {name}
              </a>
            </li>
          ))}
        </ul>
      </>
    ))}
    <h2>Workspace</h2>
    <ul>
      <li>
        <Settings section={section} />
      </li>
    </ul>
  </>
)

const rendered = new Map<Section, string>()

/** The entries are the same for everybody and twice in each document, so those of a section are rendered once. */
const entriesAt = (section: Section): string => {
  const before = rendered.get(section)
  if (before !== undefined) return before
  const made = renderToString(<Entries section={section} />)
  rendered.set(section, made)
  return made
}

const AllEntries = ({ section }: { readonly section: Section }) => (
  <nav aria-label="Dashboard" dangerouslySetInnerHTML={{ __html: entriesAt(section) }} />
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
        {workspaces.filter(({ id }) => id !== workspace?.id).map(({ id, name }) => <SwitchTo id={id}>{name}</SwitchTo>)}
        <a href="/app/workspaces">All workspaces</a>
      </div>
    </details>
  )
}

/** Whether live updates arrive; a script fills it in. */
export const Live = () => (
  <p class="live" data-state="off" hidden>
    <i />
    <span>Live</span>
  </p>
)

const Account = ({ section }: { readonly section: Section }) => {
  const { person } = useVisit()
  return (
    <div class="foot">
      <Live />
      <nav aria-label="Account">
        <ul>
          <li>
            <a href="/app/contact" aria-current={section === "account" ? "page" : undefined}>
              <Icon name="account" />
              Your account
            </a>
          </li>
          <li>
            <a href="/docs/guide">
              <Icon name="digest" />
              Guide
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
      <button type="button" class="plain tight" data-shortcuts hidden>Keyboard shortcuts</button>
      <p class="who">
        {person.user.email}
      </p>
      <form method="post" action="/sign-out">
        <button class="plain tight">Sign out</button>
      </form>
    </div>
  )
}

/** Opens the command palette; a script shows it. */
export const Find = ({ look }: { readonly look: "find" | "find icon" }) => (
  <button
    type="button"
    class={`plain ${look}`}
    data-palette
    aria-label={look === "find" ? undefined : "Search and commands"}
    aria-keyshortcuts="Control+K"
    hidden
  >
    <Icon name="search" />
    <span>
      Search<span class="sr">{" and commands"}</span>
    </span>
    <kbd aria-hidden="true">Ctrl K</kbd>
  </button>
)

export const Navigation = ({ section }: { readonly section: Section }) => (
  <>
    <Workspaces />
    <Find look="find" />
    <AllEntries section={section} />
    <Account section={section} />
  </>
)
