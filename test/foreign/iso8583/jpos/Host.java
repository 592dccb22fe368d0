// An acquirer's host on jPOS, written from docs/iso8583.md alone: the library's server, channel and packager for ISO 8583:1987 with packed
// digits and binary bitmaps, books in memory, and answers that say more than they must. It prints its port as JSON; each line on its input
// is answered by its books.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jpos.iso.IFB_NUMERIC;
import org.jpos.iso.ISOMsg;
import org.jpos.iso.ISOServer;
import org.jpos.iso.ISOSource;
import org.jpos.iso.channel.NACChannel;
import org.jpos.iso.packager.ISO87BPackager;
import org.jpos.util.ThreadPool;

public class Host {
  static final class Charge {
    final String transaction;
    long held, captured, refunded;
    boolean reversed;

    Charge(String transaction, long held, long captured) {
      this.transaction = transaction;
      this.held = held;
      this.captured = captured;
    }
  }

  record Answer(String code, String auth, String id, long amount) {}

  static final Map<String, Charge> charges = new HashMap<>();
  static final Map<String, Answer> answers = new HashMap<>();
  static final Map<String, Integer> seen = new HashMap<>();
  static final Set<String> reversed = new HashSet<>();
  static int asked = 0;

  /** By the last two digits of an amount. */
  static final Map<Long, String> CODES = Map.of(21L, "05", 22L, "Z9", 23L, "1A", 24L, "N0", 25L, "10", 26L, "94");

  static String tag(String data, String wanted) {
    while (data != null && data.length() >= 5) {
      int end = 5 + Integer.parseInt(data.substring(2, 5));
      if (data.startsWith(wanted)) return data.substring(5, end);
      data = data.substring(end);
    }
    return "";
  }

  static Answer decide(String mti, ISOMsg asks, long amount) {
    String rrn = asks.getString(37);
    String original = tag(asks.getString(48), "OR");
    boolean reversal = mti.startsWith("042");
    Answer yes = new Answer("00", "A" + String.format("%05d", asked), "jpos-" + asked, amount);
    String said = CODES.get(amount % 100);
    Charge one = charges.get(rrn);
    if (said != null && !reversal) {
      if (!said.equals("10") || !original.isEmpty()) return no(said, amount);
      long part = amount * 6 / 10;
      charges.put(rrn, new Charge(tag(asks.getString(48), "TI"), part, 0));
      return new Answer(said, yes.auth(), yes.id(), part);
    }
    if (reversal) {
      reversed.add(rrn);
      if (one == null) return no("25", amount);
      one.held = one.captured = 0;
      one.reversed = true;
      return yes;
    }
    boolean refund = asks.getString(3).equals("200000");
    if (mti.equals("0100") || (mti.equals("0200") && !refund)) {
      if (reversed.contains(rrn)) return no("12", amount);
      boolean sale = mti.equals("0200");
      charges.put(rrn, new Charge(tag(asks.getString(48), "TI"), sale ? 0 : amount, sale ? amount : 0));
      return yes;
    }
    one = charges.get(original);
    if (one == null || one.reversed) return no("25", amount);
    if (refund) {
      if (amount > one.captured) return no("13", amount);
      one.captured -= amount;
      one.refunded += amount;
    } else if (mti.startsWith("022")) {
      if (amount > one.held) return no("13", amount);
      one.held -= amount;
      one.captured += amount;
    } else {
      if (amount > one.held + one.captured) return no("13", amount);
      long held = Math.min(amount, one.held);
      one.held -= held;
      one.captured -= amount - held;
    }
    return yes;
  }

  static Answer no(String code, long amount) {
    return new Answer(code, null, "jpos-" + asked, amount);
  }

  static final int[] ECHOED = {3, 4, 7, 11, 12, 13, 32, 37, 41, 42, 49};

  static synchronized boolean answer(ISOSource source, ISOMsg asks) {
    try {
      String mti = asks.getMTI();
      ISOMsg reply = new ISOMsg();
      reply.setPackager(asks.getPackager());
      if (mti.equals("0800")) {
        reply.setMTI("0810");
        for (int field : new int[] {7, 11, 70}) if (asks.hasField(field)) reply.set(field, asks.getString(field));
        reply.set(39, "00");
        reply.set(24, "003");
        source.send(reply);
        return true;
      }
      asked++;
      long amount = Long.parseLong(asks.getString(4));
      String key = mti.substring(0, 3) + asks.getString(37);
      int times = seen.merge(key, 1, Integer::sum);
      long conduct = times > 1 ? 0 : amount % 100;
      if (conduct == 12) return true;
      Answer given = answers.get(key);
      if (given == null) {
        given = decide(mti, asks, amount);
        answers.put(key, given);
      }
      if (conduct == 11 || conduct == 14) return true;
      // Whose answer it is: the issuer's.
      reply.setMTI(mti.substring(0, 2) + (char) (mti.charAt(2) + 1) + "2");
      for (int field : ECHOED) if (asks.hasField(field)) reply.set(field, asks.getString(field));
      reply.set(4, String.format("%012d", given.amount()));
      reply.set(7, "0101000000");
      reply.set(12, "000000");
      reply.set(39, given.code());
      reply.set(63, given.id());
      if (given.auth() != null) reply.set(38, given.auth());
      reply.set(5, String.format("%012d", amount));
      reply.set(18, "5999");
      reply.set(33, "12345");
      reply.set(48, "NO TAGS HERE");
      reply.set(54, "0001840C000000001000");
      reply.set(62, "private");
      reply.set(102, "account");
      source.send(reply);
      if (conduct == 13) source.send(reply);
    } catch (Exception fault) {
      System.err.println(fault);
    }
    return true;
  }

  static synchronized String lines() {
    List<String> lines = new ArrayList<>();
    for (Charge one : charges.values())
      lines.add(
          String.format(
              "{\"transaction\":\"%s\",\"held\":%d,\"captured\":%d,\"refunded\":%d}",
              one.transaction, one.held, one.captured, one.refunded));
    return "[" + String.join(",", lines) + "]";
  }

  public static void main(String[] given) throws Exception {
    ISO87BPackager packager = new ISO87BPackager();
    // The library has letters there, and the gateway the number of the currency.
    packager.setFieldPackager(49, new IFB_NUMERIC(3, "CURRENCY CODE, TRANSACTION", true));
    // Two bytes of length, and no TPDU.
    NACChannel channel = new NACChannel(packager, new byte[0]);
    ISOServer server = new ISOServer(0, channel, new ThreadPool(1, 100));
    CompletableFuture<Integer> port = new CompletableFuture<>();
    server.setSocketFactory(
        (any) -> {
          ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
          port.complete(socket.getLocalPort());
          return socket;
        });
    server.addISORequestListener(Host::answer);
    Thread thread = new Thread(server);
    thread.setDaemon(true);
    thread.start();
    System.out.println("{\"port\":" + port.get() + "}");
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    while (input.readLine() != null) System.out.println(lines());
    System.exit(0);
  }
}
