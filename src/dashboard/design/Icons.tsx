/** The icons of the dashboard, 24 units square and drawn with a line of the text's colour, and the logo. */

const paths = {
  overview: "M3 12h4l3-8 4 16 3-8h4",
  monitors: "M4 5h16v11H4zM9 20h6M12 16v4",
  incidents: "M12 3 2.5 20h19L12 3Zm0 7v4m0 3v.01",
  maintenance: "M14.5 6.5a4 4 0 0 0-5 5L4 17v3h3l5.500-5.500a4 4 0 0 0 5-5L15 12l-3-3 2.500-2.500Z",
  pages: "M4 4h16v16H4zM4 9h16M9 9v11",
  channels: "M6 16V11a6 6 0 1 1 12 0v5l1.500 2h-15L6 16Zm4 5h4",
  deliveries: "M3 6h18v12H3zM3 7l9 7 9-7",
  escalation: "M5 20v-5m7 5V9m7 11V4",
  "on-call":
    "M6 3h4l1.500 5-2.500 1.500a11 11 0 0 0 5.500 5.500L16 12.500l5 1.500v4a2 2 0 0 1-2 2A16 16 0 0 1 4 5a2 2 0 0 1 2-2Z",
  providers: "M22 2 11 13M22 2l-7 20-4-9-9-4 20-7Z",
  upstreams: "M7 19h10a4.500 4.500 0 0 0 .700-8.940A6 6 0 0 0 6.200 9.600 4.700 4.700 0 0 0 7 19Z",
  members: "M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7 10v-1a6 6 0 0 1 12 0v1m2-18a4 4 0 0 1 0 8m2 4a6 6 0 0 1 4 5v1",
  apps: "M9 2v5M15 2v5M6 7h12v4a6 6 0 0 1-12 0V7Zm6 10v5",
  keys: "M14.500 3a6.500 6.500 0 1 1-4 11.600L7 18H4v3H2v-4l6-6A6.500 6.500 0 0 1 14.500 3Zm2 4.500v.01",
  audit: "M6 3h9l4 4v14H6zM9 12h7M9 16h7M9 8h3",
  usage: "M4 20V4m0 16h16M8 16v-5m4 5V7m4 9v-3",
  import: "M12 3v11m0 0-4-4m4 4 4-4M4 20h16",
  plan: "M8 6h12M8 12h12M8 18h12M4 6v.01M4 12v.01M4 18v.01",
  digest: "M4 4h16v16H4zM8 9h8M8 13h8M8 17h4",
  account: "M12 12a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9Zm-8 9v-1a8 8 0 0 1 16 0v1",
  settings: "M4 6h9m4 0h3M4 12h3m4 0h9M4 18h9m4 0h3M15 4v4M9 10v4M15 16v4",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm5-2 5 5",
  menu: "M4 7h16M4 12h16M4 17h16",
  plus: "M12 5v14M5 12h14",
  external: "M14 4h6v6m0-6-9 9M10 6H5v13h13v-5",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "M4 12.500 10 18 20 6",
  drag: "M9 6v.01M9 12v.01M9 18v.01M15 6v.01M15 12v.01M15 18v.01"
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg
    viewBox="0 0 24 24"
    width="18"
    height="18"
    fill="none"
    stroke="currentColor"
    stroke-width="1.8"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d={paths[name]} />
  </svg>
)

const logo = "M12 2.2a1.6 1.6 0 0 1 1.6 1.7 6.6 6.6 0 0 1 5 6.4v4.1l1.7 2.7a.9.9 0 0 1-.8 1.4h-15a.9.9 0 0 1-.8-1.4l1.7-2.7" +
  "v-4.1a6.6 6.6 0 0 1 5-6.4A1.6 1.6 0 0 1 12 2.2Zm-2.6 17.6h5.2a2.6 2.6 0 0 1-5.2 0Z"

export const Brand = ({ href }: { readonly href: string }) => (
  <a class="brand" href={href}>
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={logo} fill="currentColor" />
    </svg>
    Belltower
  </a>
)
