/** Vite includes the file in the bundle as text. */
declare module '*?raw' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: that is how Vite gives it
  export default text;
}
