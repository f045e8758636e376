/** The header and navigation of every page of a signed-in person. */
import type { ComponentChildren } from "preact"
import { Brand } from "./Shell.tsx"

const places = [
  ["/app", "Dashboard"],
  ["/app/workspaces", "Workspaces"],
  ["/app/contact", "Contact"],
  ["/app/digest", "Digest"],
  ["/app/security", "Security"],
  ["/app/mail", "Mail"]
] as const

export interface FrameProps {
  readonly email: string
  /** The path of the current navigation entry. */
  readonly here: string
  readonly children: ComponentChildren
}

export const Frame = ({ children, email, here }: FrameProps) => (
  <>
    <a class="skip" href="#content">Skip to content</a>
    <header class="wrap bar">
      <Brand href="/app" />
      <nav aria-label="Your account">
        <ul>
          {places.map(([path, label]) => (
            <li>
              <a href={path} {...(path === here ? { "aria-current": "page" as const } : {})}>{label}</a>
            </li>
          ))}
          <li>
            <form method="post" action="/sign-out">
              <button class="link" title={`Signed in as ${email}`}>Sign out</button>
            </form>
          </li>
        </ul>
      </nav>
    </header>
    <main class="wrap app" id="content">{children}</main>
  </>
)
