// An acquirer's host on moov-io/iso8583, written from docs/iso8583.md alone: the library's own format for ISO 8583:1987 in ASCII, books in
// memory, and answers that say more than they must. It prints its port as JSON; each line on its input is answered by its books.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/moov-io/iso8583"
	"github.com/moov-io/iso8583/encoding"
	"github.com/moov-io/iso8583/field"
	"github.com/moov-io/iso8583/prefix"
	"github.com/moov-io/iso8583/specs"
)

func text(length int, pref prefix.Prefixer) field.Field {
	return field.NewString(&field.Spec{Length: length, Enc: encoding.ASCII, Pref: pref})
}

// The library's format ends at field 64.
func spec() *iso8583.MessageSpec {
	fields := map[int]field.Field{}
	for number, one := range specs.Spec87ASCII.Fields {
		fields[number] = one
	}
	// Eight bytes, and eight more where its first bit says so.
	fields[1] = field.NewBitmap(&field.Spec{Length: 8, Enc: encoding.BytesToASCIIHex, Pref: prefix.Hex.Fixed})
	fields[3] = text(6, prefix.ASCII.Fixed)
	fields[15] = text(4, prefix.ASCII.Fixed)
	fields[70] = text(3, prefix.ASCII.Fixed)
	fields[90] = text(42, prefix.ASCII.Fixed)
	fields[102] = text(28, prefix.ASCII.LL)
	fields[123] = text(999, prefix.ASCII.LLL)
	return &iso8583.MessageSpec{Name: "1987, as far as the gateway has it", Fields: fields}
}

type charge struct {
	transaction, code                string
	amount, held, captured, refunded int
	reversed                         bool
}

type answer struct {
	code, auth, id string
	amount         int
}

type books struct {
	sync.Mutex
	charges  map[string]*charge
	answers  map[string]answer
	seen     map[string]int
	reversed map[string]bool
	asked    int
}

// What a message asks for, and how often it came.
type question struct {
	mti, rrn, original, transaction, code string
	amount                                int
}

const (
	silent = iota + 1
	dropped
	doubled
	garbled
)

// By the last two digits of an amount: what the host does beside its books.
func conduct(q question, times int) int {
	if times > 1 {
		return 0
	}
	switch q.amount % 100 {
	case 11:
		return silent
	case 12:
		return dropped
	case 13:
		return doubled
	case 14:
		return garbled
	}
	return 0
}

var codes = map[int]string{21: "05", 22: "Z9", 23: "1A", 24: "N0", 25: "10", 26: "94"}

func (b *books) ask(q question) (answer, int) {
	b.Lock()
	defer b.Unlock()
	b.asked++
	key := q.mti[:3] + q.rrn
	b.seen[key]++
	does := conduct(q, b.seen[key])
	if does == dropped {
		return answer{}, does
	}
	before, answered := b.answers[key]
	if answered {
		return before, does
	}
	given := b.decide(q)
	b.answers[key] = given
	return given, does
}

func (b *books) decide(q question) answer {
	given := answer{code: "00", auth: fmt.Sprintf("%06d", b.asked), id: fmt.Sprintf("moov-%d", b.asked), amount: q.amount}
	refuse := func(code string) answer { given.code, given.auth = code, ""; return given }
	if code := codes[q.amount%100]; code != "" && !strings.HasPrefix(q.mti, "042") {
		if code == "10" && q.mti[1] != '4' && q.original == "" {
			given.code, given.amount = code, q.amount*6/10
			b.charges[q.rrn] = &charge{transaction: q.transaction, code: code, amount: q.amount, held: given.amount}
			return given
		}
		return refuse(code)
	}
	one := b.charges[q.rrn]
	switch {
	case strings.HasPrefix(q.mti, "042"):
		b.reversed[q.rrn] = true
		if one == nil {
			return refuse("25")
		}
		one.held, one.captured, one.reversed = 0, 0, true
		return given
	case q.mti == "0100" || (q.mti == "0200" && q.code == "000000"):
		if b.reversed[q.rrn] {
			return refuse("12")
		}
		one = &charge{transaction: q.transaction, code: "00", amount: q.amount, held: q.amount}
		if q.mti == "0200" {
			one.held, one.captured = 0, q.amount
		}
		b.charges[q.rrn] = one
		return given
	}
	one = b.charges[q.original]
	if one == nil || one.reversed {
		return refuse("25")
	}
	switch {
	case q.mti == "0200":
		if q.amount > one.captured {
			return refuse("13")
		}
		one.captured -= q.amount
		one.refunded += q.amount
	case strings.HasPrefix(q.mti, "022"):
		if q.amount > one.held {
			return refuse("13")
		}
		one.held -= q.amount
		one.captured += q.amount
	case strings.HasPrefix(q.mti, "040"):
		if q.amount > one.held+one.captured {
			return refuse("13")
		}
		held := min(q.amount, one.held)
		one.held -= held
		one.captured -= q.amount - held
	default:
		return refuse("12")
	}
	return given
}

func (b *books) lines() []map[string]any {
	b.Lock()
	defer b.Unlock()
	lines := []map[string]any{}
	for _, one := range b.charges {
		lines = append(lines, map[string]any{"transaction": one.transaction, "held": one.held, "captured": one.captured, "refunded": one.refunded})
	}
	return lines
}

func tag(private, wanted string) string {
	for len(private) >= 5 {
		length, err := strconv.Atoi(private[2:5])
		if err != nil || 5+length > len(private) {
			return ""
		}
		if private[:2] == wanted {
			return private[5 : 5+length]
		}
		private = private[5+length:]
	}
	return ""
}

func read(conn net.Conn) ([]byte, error) {
	var length uint16
	if err := binary.Read(conn, binary.BigEndian, &length); err != nil {
		return nil, err
	}
	frame := make([]byte, length)
	_, err := io.ReadFull(conn, frame)
	return frame, err
}

func send(conn net.Conn, bytes []byte) {
	conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(bytes))), bytes...))
}

var echoed = []int{3, 4, 7, 11, 12, 13, 32, 37, 41, 42, 49}

func serve(conn net.Conn, b *books) {
	defer conn.Close()
	for {
		frame, err := read(conn)
		if err != nil {
			return
		}
		message := iso8583.NewMessage(spec())
		if err := message.Unpack(frame); err != nil {
			fmt.Fprintln(os.Stderr, "not a message:", err)
			return
		}
		reply, does := respond(message, b)
		if does == silent || does == dropped {
			continue
		}
		bytes, err := reply.Pack()
		if err != nil {
			fmt.Fprintln(os.Stderr, "not packed:", err)
			return
		}
		if does == garbled {
			send(conn, bytes[:len(bytes)/2])
			continue
		}
		send(conn, bytes)
		if does == doubled {
			send(conn, bytes)
		}
	}
}

func respond(message *iso8583.Message, b *books) (*iso8583.Message, int) {
	of := func(number int) string { value, _ := message.GetString(number); return value }
	mti, _ := message.GetMTI()
	reply := iso8583.NewMessage(spec())
	set := func(number int, value string) {
		if value != "" {
			reply.Field(number, value)
		}
	}
	if mti == "0800" {
		reply.MTI("0810")
		for _, number := range []int{7, 11, 70} {
			set(number, of(number))
		}
		set(39, "00")
		set(48, "WELCOME")
		return reply, 0
	}
	amount, _ := strconv.Atoi(of(4))
	q := question{mti: mti, rrn: of(37), original: tag(of(48), "OR"), transaction: tag(of(48), "TI"), code: of(3), amount: amount}
	given, does := b.ask(q)
	reply.MTI(mti[:2] + string(mti[2]+1) + "0")
	for _, number := range echoed {
		set(number, of(number))
	}
	set(4, fmt.Sprintf("%012d", given.amount))
	set(38, given.auth)
	set(39, given.code)
	set(63, given.id)
	// More than it must say.
	set(15, "0516")
	set(48, "HOST SAYS "+given.code)
	set(54, "0001840C000000001000")
	set(60, "private")
	set(123, strings.Repeat("x", 300))
	return reply, does
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	b := &books{charges: map[string]*charge{}, answers: map[string]answer{}, seen: map[string]int{}, reversed: map[string]bool{}}
	out := json.NewEncoder(os.Stdout)
	out.Encode(map[string]int{"port": listener.Addr().(*net.TCPAddr).Port})
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(conn, b)
		}
	}()
	for input := bufio.NewScanner(os.Stdin); input.Scan(); {
		out.Encode(b.lines())
	}
}
