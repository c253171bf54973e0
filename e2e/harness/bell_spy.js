// Installed in every document before its own scripts: keeps what the page asks of the browser to be heard,
// and stands in for what a browser without a desktop has not. CHOICES is put in front of this.
(() => {
  const bell = { sounds: [], notifications: [], closed: [], asked: 0, claims: 0, permission: CHOICES.permission };
  bell.isAway = CHOICES.isAway; // somebody looks at another window
  window.bell = bell;

  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...when) {
    bell.sounds.push(this.type);
    return start.apply(this, when);
  };

  window.Notification = class {
    static get permission() { return bell.permission; }
    static async requestPermission() {
      bell.asked += 1;
      bell.permission = CHOICES.answer;
      return bell.permission;
    }
    constructor(title, options) {
      bell.notifications.push({ title, ...options });
      bell.last = this;
      this.tag = options.tag;
    }
    close() { bell.closed.push(this.tag); }
  };

  const hasFocus = Document.prototype.hasFocus;
  Document.prototype.hasFocus = function () { return !bell.isAway && hasFocus.call(this); };

  if (CHOICES.hasChannel) {
    const post = BroadcastChannel.prototype.postMessage;
    BroadcastChannel.prototype.postMessage = function (message) {
      if (message.type === "claim") bell.claims += 1;
      return post.call(this, message);
    };
  } else delete window.BroadcastChannel;

  if (!CHOICES.hasMemory) {
    Object.defineProperty(window, "localStorage", { get() { throw new DOMException("switched off", "SecurityError"); } });
  }
})();
