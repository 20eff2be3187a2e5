// Elements in one line.
type Child = Node | string | null | undefined;
type Attributes = Record<string, string | number | boolean | null | undefined |
    ((event: never) => void)>;

/** An element: attributes by name, listeners as `onclick`, then its children. */
export function make<K extends keyof HTMLElementTagNameMap>(
    tag: K, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function")
            element.addEventListener(name.slice(2), value as unknown as EventListener);
        else if (value === true) element.setAttribute(name, "");
        else if (value !== false && value !== null && value !== undefined)
            element.setAttribute(name, String(value));
    }
    for (const child of children) if (child !== null && child !== undefined) element.append(child);
    return element;
}

const ICONS = {
    play: "M7 4.5v15l12.5-7.5z",
    pause: "M7 5h3.6v14H7zM13.4 5H17v14h-3.6z",
    first: "M5 5h2.4v14H5zM19 5v14L8.5 12z",
    last: "M16.6 5H19v14h-2.4zM5 5v14l10.5-7z",
    back: "M15.5 5v14L5 12zM17.5 5H19v14h-1.5z",
    forward: "M8.5 5v14L19 12zM5 5h1.5v14H5z",
    loop: "M7 7h9.5V4l4.5 4-4.5 4V9H9v3H7zm10 10H7.5v3L3 16l4.5-4v3H15v-3h2z",
    fit: "M4 4h6v2H6v4H4zm10 0h6v6h-2V6h-4zM4 14h2v4h4v2H4zm14 0h2v6h-6v-2h4z",
    plus: "M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z",
    minus: "M5 11h14v2H5z",
    theme: "M12 3a9 9 0 1 0 0 18zm0 0a9 9 0 0 1 0 18v-2a7 7 0 0 0 0-14z",
    arrow: "M4.6 18 15.2 7.4H9V5h10.2v10.2h-2.4V9.1L6.3 19.7z",
    trail: "M4 18.5a1.6 1.6 0 1 1 0 .1zM8.2 12.8a1.9 1.9 0 1 1 0 .1zM12.6 7.4a3.6 3.6 0 1 1 0 .1z",
    cone: "M4 5h16l-8 15zm3.4 2L12 15.7 16.6 7z",
    help: "M11 16.5h2.2v2.3H11zM12 4.6c-2.7 0-4.4 1.6-4.6 4h2.2c.1-1.2 1-2 2.3-2 1.3 0 2.2.7 2.2 1.9 0 1-.5 1.5-1.5 2.2-1.2.8-1.7 1.6-1.6 3.2v.8h2.1v-.6c0-1 .4-1.4 1.5-2.2 1.2-.8 1.9-1.8 1.9-3.4 0-2.3-1.8-3.9-4.5-3.9z",
    enlarge: "M4 4h7v2H7.4l4 4-1.4 1.4-4-4V11H4zm16 16h-7v-2h3.6l-4-4 1.4-1.4 4 4V13h2z",
    full: "M4 4h5v2H6v3H4zm11 0h5v5h-2V6h-3zM4 15h2v3h3v2H4zm14 0h2v5h-5v-2h3zM8 8h8v8H8zm2 2v4h4v-4z",
    save: "M11 4h2v8.2l3-3 1.4 1.4L12 16l-5.4-5.4L8 9.2l3 3zM5 18h14v2H5z",
    close: "m6.4 5 5.6 5.6L17.6 5 19 6.4 13.4 12l5.6 5.6-1.4 1.4-5.6-5.6L6.4 19 5 17.6l5.6-5.6L5 6.4z",
} as const;

export type Icon = keyof typeof ICONS;

export function icon(name: Icon): SVGSVGElement {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("aria-hidden", "true");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", ICONS[name]);
    svg.append(path);
    return svg;
}

/** A button that is a picture; its name is read aloud and shown on hovering. */
export function iconButton(name: Icon, label: string, onclick: () => void): HTMLButtonElement {
    return make("button", { type: "button", class: "icon", "aria-label": label, title: label,
                            onclick }, icon(name));
}
